"""How a model of hidden tokens is best trained: settings to start from."""

from regard.data.batches import BatchConfig
from regard.data.running import GrammarText
from regard.data.running.codec import VocabularyConfig
from regard.models.config import ModelConfig
from regard.training.recipe import Recipe
from regard.training.schedules import Cosine
from regard.training.settings import Budget, OptimisationConfig, Settings

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
    usual = GRAMMAR_STEPS if endless else FILE_STEPS
    chosen = Budget(steps=usual).changed(budget)
    steps = chosen.steps or usual
    often = max(1, steps // (4 if endless else 40))
    if endless and "vocabulary" not in task.model_fields_set:
        task = task.model_copy(update={"vocabulary": WORDS})
    settings = Settings(
        task=task,
        batch=BatchConfig(max_tokens=2048 if endless else 4096),
        optimisation=OptimisationConfig(
            rate=2e-3 if endless else 1e-3,
            schedule=Cosine(steps=steps, warmup=min(500, steps // 10)),
            betas=(0.9, 0.98),
            weight_decay=0.01,
            clip=1.0,
        ),
        budget=chosen,
        average=0.99,
        validate_every=often,
        save_every=often,
    )
    changes = {"encoder.dropout": 0.0} if endless and isinstance(model, str) else {}
    return Recipe(settings, changes)


RECIPE = recipe
