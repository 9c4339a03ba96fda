"""How taggers are best trained: settings to start from."""

from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe

from ..labelling.recipe import label_recipe
from .task import TaggingTask


def recipe(
    model: str | ModelConfig, task: TaggingTask | None = None, budget: Budget | None = None
) -> Recipe:
    """What to start from.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what it learns from; our grammar if not given.
        budget: when it ends.
    """
    return label_recipe(
        model, task or TaggingTask(), budget, rate=2e-3, tokens=1024, steps=3000, smoothing=0.05
    )


RECIPE = recipe
