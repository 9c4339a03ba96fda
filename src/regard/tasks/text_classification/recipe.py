"""How classifiers are best trained: settings to start from."""

from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe

from ..labelling.recipe import label_recipe
from .task import TextClassificationTask


def recipe(
    model: str | ModelConfig,
    task: TextClassificationTask | None = None,
    budget: Budget | None = None,
) -> Recipe:
    """What to start from.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what it learns from; our grammar if not given.
        budget: when it ends.
    """
    chosen = task or TextClassificationTask()
    return label_recipe(model, chosen, budget, rate=1e-3, tokens=2048, steps=800, smoothing=0.05)


RECIPE = recipe
