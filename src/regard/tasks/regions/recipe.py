"""How models of regions are best trained: settings to start from."""

from collections.abc import Callable

from regard.data.batches import BatchConfig
from regard.models.config import ModelConfig
from regard.training.recipe import Recipe
from regard.training.schedules import Cosine
from regard.training.settings import Budget, OptimisationConfig, Settings

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
        return Recipe(_settings(task or usual_task, budget, rate, pictures), {})

    return recipe


def _settings(task: RegionTask, budget: Budget | None, rate: float, pictures: int) -> Settings:
    usual = SCENE_STEPS if task.data.kind == "scenes" else STEPS
    chosen = Budget(steps=usual).changed(budget)
    planned = chosen.steps or usual
    often = max(1, planned // 20)
    return Settings(
        task=task,
        batch=BatchConfig(max_tokens=pictures),
        optimisation=OptimisationConfig(
            rate=rate,
            schedule=Cosine(steps=planned, warmup=min(200, planned // 10)),
            betas=(0.9, 0.99),
            weight_decay=0.02,
            clip=5.0,
        ),
        budget=chosen,
        average=0.99,
        validate_every=often,
        save_every=often,
    )
