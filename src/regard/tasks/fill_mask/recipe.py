"""How a model of hidden tokens is best trained: settings to start from."""

from regard.data.batches import BatchConfig
from regard.data.running import GrammarText
from regard.data.running.codec import VocabularyConfig
from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe, half_wave

from .task import FillMaskTask

WORDS = VocabularyConfig(level="bpe", size=2000)
"""Of the grammar, which has few words."""
GRAMMAR_STEPS, FILE_STEPS = 1500, 20_000


def recipe(model: str | ModelConfig, task: FillMaskTask, budget: Budget | None = None) -> Recipe:
    """Adam with decoupled weight decay, half a wave down to zero at the last step.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what is learned.
        budget: when it ends.
    """
    endless = isinstance(task.data, GrammarText)
    if endless and "vocabulary" not in task.model_fields_set:
        task = task.model_copy(update={"vocabulary": WORDS})
    settings = half_wave(
        task,
        budget,
        steps=GRAMMAR_STEPS if endless else FILE_STEPS,
        rate=2e-3 if endless else 1e-3,
        batch=BatchConfig(max_tokens=2048 if endless else 4096),
        validations=4 if endless else 40,
        warmup=500,
    )
    changes = {"encoder.dropout": 0.0} if endless and isinstance(model, str) else {}
    return Recipe(settings, changes)


RECIPE = recipe
