"""How taggers and classifiers are best trained: settings to start from."""

from typing import Any

from regard.data.batches import BatchConfig
from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe, half_wave

from .data import GrammarData
from .task import LabelTask

GRAMMAR_STEPS = 300


def label_recipe(
    model: str | ModelConfig,
    task: LabelTask,
    budget: Budget | None,
    *,
    rate: float,
    tokens: int,
    steps: int,
    smoothing: float = 0.0,
    changes: dict[str, Any] | None = None,
) -> Recipe:
    """Adam with decoupled weight decay and half a wave down, the average of the weights.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what is learned.
        budget: when it ends.
        rate: the highest.
        tokens: of a batch.
        steps: of a run on files that is not told how many.
        smoothing: of labels, where the task does not say.
        changes: fields of a new model's config which are better different.
    """
    endless = isinstance(task.data, GrammarData)
    if "label_smoothing" not in task.model_fields_set:
        task = task.model_copy(update={"label_smoothing": smoothing})
    settings = half_wave(
        task,
        budget,
        steps=GRAMMAR_STEPS if endless else steps,
        rate=rate,
        batch=BatchConfig(max_tokens=tokens),
        validations=4 if endless else 20,
        warmup=100,
        average=0.9 if endless else 0.99,
    )
    return Recipe(settings, {} if isinstance(model, ModelConfig) else dict(changes or {}))
