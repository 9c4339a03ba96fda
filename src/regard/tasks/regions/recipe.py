"""How models of regions are best trained: settings to start from."""

from typing import Any

from regard.data.batches import BatchConfig
from regard.models.config import ModelConfig
from regard.training.recipe import Recipe
from regard.training.schedules import Cosine
from regard.training.settings import Budget, OptimisationConfig, Settings

from .task import RegionTask

SCENE_STEPS, STEPS = 1500, 2000


def region_recipe(
    model: str | ModelConfig,
    task: RegionTask,
    budget: Budget | None,
    *,
    rate: float,
    pictures: int,
    changes: dict[str, Any] | None = None,
) -> Recipe:
    """Adam with decoupled weight decay and half a wave down, the average of the weights.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what is learned.
        budget: when it ends.
        rate: the highest.
        pictures: of a batch.
        changes: fields of a new model's config which are better different.
    """
    usual = SCENE_STEPS if task.data.kind == "scenes" else STEPS
    chosen = Budget(steps=usual).changed(budget)
    planned = chosen.steps or usual
    often = max(1, planned // 20)
    settings = Settings(
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
    return Recipe(settings, {} if isinstance(model, ModelConfig) else dict(changes or {}))
