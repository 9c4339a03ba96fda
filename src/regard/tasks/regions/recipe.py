"""How models of regions are best trained: settings to start from."""

from collections.abc import Callable

from regard.data.batches import BatchConfig
from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe, half_wave

from .task import RegionTask

RecipeFunction = Callable[..., Recipe]
SCENE_STEPS, STEPS = 1500, 2000


def region_recipe(usual_task: RegionTask, *, rate: float, pictures: int) -> RecipeFunction:
    """Adam with decoupled weight decay and half a wave down, the average of the weights.

    Args:
        usual_task: what is learned unless another is given.
        rate: the highest.
        pictures: of a batch.
    """

    def recipe(
        model: str | ModelConfig, task: RegionTask | None = None, budget: Budget | None = None
    ) -> Recipe:
        """What to start from.

        Args:
            model: a preset's name, or the config of a model that is trained already.
            task: what it learns from; our scenes if not given.
            budget: when it ends.
        """
        chosen = task or usual_task
        settings = half_wave(
            chosen,
            budget,
            steps=SCENE_STEPS if chosen.data.kind == "scenes" else STEPS,
            rate=rate,
            batch=BatchConfig(max_tokens=pictures),
            validations=20,
            betas=(0.9, 0.99),
            weight_decay=0.02,
            clip=5.0,
        )
        return Recipe(settings, {})

    return recipe
