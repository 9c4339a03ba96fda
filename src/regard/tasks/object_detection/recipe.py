"""How detectors are best trained: settings to start from."""

from regard.models.config import ModelConfig
from regard.training.recipe import Recipe
from regard.training.settings import Budget

from ..regions.recipe import region_recipe
from .task import ObjectDetectionTask


def recipe(
    model: str | ModelConfig,
    task: ObjectDetectionTask | None = None,
    budget: Budget | None = None,
) -> Recipe:
    """What to start from.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what it learns from; our scenes if not given.
        budget: when it ends.
    """
    return region_recipe(model, task or ObjectDetectionTask(), budget, rate=2e-3, pictures=16)


RECIPE = recipe
