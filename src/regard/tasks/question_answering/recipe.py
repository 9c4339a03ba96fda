"""How readers are best trained: settings to start from."""

from typing import Any

from regard.data.batches import BatchConfig
from regard.errors import ChoiceError
from regard.models.build import preset_sizes
from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe, half_wave

from ..labelling.vocabulary import VocabularyConfig
from .data import FormName, ToldStories
from .task import QuestionAnsweringTask

STORY_STEPS, FILE_STEPS = 600, 4000
SENTENCES, TOKENS = 1024, 3072
"""Padded sentences, or tokens of passages, of a batch."""


def recipe(
    model: str | ModelConfig,
    task: QuestionAnsweringTask | None = None,
    budget: Budget | None = None,
) -> Recipe:
    """Adam with decoupled weight decay and half a wave down, the average of the weights.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what it learns from; stories of ours if not given.
        budget: when it ends.

    Raises:
        ChoiceError: answers of another form than the model gives.
    """
    chosen = _fitting(task or QuestionAnsweringTask(), _form(model), fresh=isinstance(model, str))
    endless = isinstance(chosen.data, ToldStories)
    words = chosen.form == "words"
    settings = half_wave(
        chosen,
        budget,
        steps=STORY_STEPS if endless else FILE_STEPS,
        rate=1e-3 if words else 2e-3,
        batch=BatchConfig(max_tokens=SENTENCES if words else TOKENS),
        validations=4 if endless else 20,
        average=0.9 if endless else 0.99,
    )
    return Recipe(settings, {})


def _form(model: str | ModelConfig) -> FormName:
    known = preset_sizes(model) if isinstance(model, str) else type(model).model_fields
    return "words" if "labels" in known else "spans"


def _fitting(
    task: QuestionAnsweringTask, answers: FormName, *, fresh: bool
) -> QuestionAnsweringTask:
    """The task with what the model says of it, where nothing else was said."""
    if task.answers not in (None, answers):
        raise ChoiceError(
            f"this model answers with {answers}, and --answers says {task.answers}; leave it out, "
            "or choose another model: regard list models"
        )
    changes: dict[str, Any] = {"answers": answers}
    if answers == "words" and "guided" not in task.model_fields_set:
        changes["guided"] = 0.1
    if fresh and "vocabulary" not in task.model_fields_set:
        changes["vocabulary"] = VocabularyConfig(min_count=1 if answers == "words" else 2)
    return task.model_copy(update=changes)


RECIPE = recipe
