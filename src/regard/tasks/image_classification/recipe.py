"""How classifiers of pictures are best trained: settings to start from."""

from typing import Any

from regard.data.batches import BatchConfig
from regard.data.images.augmentation_config import AugmentationConfig
from regard.models import preset_config
from regard.models.config import ModelConfig
from regard.training.schedules import Linear
from regard.training.settings import Budget, OptimisationConfig, Recipe, Settings

from .data import DIGITS
from .task import ImageClassificationTask

STEPS = 3000
"""Of a run that is not told how many."""
BATCHES, ENOUGH = (128, 32, 16), 400
"""Pictures of a batch: the most with which so many updates fit into the minutes, or else the least.
With little time many small updates learn more than few large ones."""
TINY = 16
"""Pixels of a side up to which places are few."""
OF_TOKENS = ("vit", "cct")
"""Encoders that look at tokens: they learn by Adam, convolutions by descent with momentum."""
OF_STEPS = "glimpses"
"""A model that looks step after step: it learns by Adam, too, and nothing decays."""
WRITTEN = ("digits", "mnist")
"""What is in names of pictures whose left is not their right."""


def recipe(
    model: str | ModelConfig,
    task: ImageClassificationTask | None = None,
    budget: Budget | None = None,
) -> Recipe:
    """One cycle of the rate, labels smoothed, pictures flipped and shifted, weights averaged.

    Smith and Topin 2019 (https://arxiv.org/abs/1708.07120): up in a straight line, and down. With
    minutes and without steps, so many are planned as this machine makes in that time: some are
    timed before, and batches are smaller where there would be few.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what it learns from; handwritten digits if not given.
        budget: when it ends.
    """
    chosen = task or ImageClassificationTask()
    rows, steps = _paced(model, chosen, budget)
    often = max(1, steps // 10)
    settings = Settings(
        task=_changed(chosen),
        batch=BatchConfig(max_tokens=rows),
        optimisation=_optimisation(_kind(model), steps, rows),
        budget=Budget(steps=steps).changed(budget),
        average=0.99,
        validate_every=often,
        save_every=often,
    )
    return Recipe(settings, _changes(model, min(chosen.data.size_for(chosen.size))))


def _changes(model: str | ModelConfig, size: int) -> dict[str, Any]:
    """A new model of tiny pictures keeps more of their places."""
    if size > TINY or not isinstance(model, str):
        return {}
    encoder: Any = getattr(preset_config(model, labels=2), "encoder", None)
    kind = _kind(model)
    if kind == "cnn":
        return {"encoder.strides": (1, *encoder.strides[1:])}
    return {"vit": {"encoder.patch_size": 2}, "residual-attention": {"encoder.stride": 1}}.get(
        kind, {}
    )


def _optimisation(kind: str, steps: int, rows: int) -> OptimisationConfig:
    if kind == OF_STEPS:
        return OptimisationConfig(
            rate=1e-3, schedule=Linear(steps=steps, warmup=max(1, steps // 20)), clip=5.0
        )
    if kind in OF_TOKENS:
        return OptimisationConfig(
            rate=2e-3,
            schedule=Linear(steps=steps, warmup=steps // 10),
            betas=(0.9, 0.99),
            weight_decay=0.05,
            clip=1.0,
        )
    return OptimisationConfig(
        method="sgd",
        momentum=0.9,
        rate=0.2 * rows / BATCHES[0],
        schedule=Linear(steps=steps, warmup=steps // 5),
        weight_decay=5e-4,
        clip=5.0,
    )


def _changed(task: ImageClassificationTask) -> ImageClassificationTask:
    """With the usual changes to pictures, where nothing was said of them."""
    update: dict[str, Any] = {}
    if "label_smoothing" not in task.model_fields_set:
        update["label_smoothing"] = 0.1
    said = task.augmentation.model_dump(include=task.augmentation.model_fields_set)
    size = min(task.data.size_for(task.size))
    written = any(word in path.lower() for path in task.data.train for word in WRITTEN)
    fashion = any("fashion" in path.lower() for path in task.data.train)
    shift = 0 if task.data.endless else max(1, size // 16)
    usual = {"flip": fashion or not written, "shift": shift}
    update["augmentation"] = AugmentationConfig(**{**usual, **said})
    return task.model_copy(update=update)


def _kind(model: str | ModelConfig) -> str:
    """Of the encoder."""
    if isinstance(model, str):
        model = preset_config(model, labels=2)
    return str(getattr(model, "encoder", model).kind)


def _paced(
    model: str | ModelConfig, task: ImageClassificationTask, budget: Budget | None
) -> tuple[int, int]:
    """Pictures of a batch, and updates: those asked for, those that fit, or the usual number."""
    if budget is not None and budget.steps is not None:
        return BATCHES[0], budget.steps
    if budget is None or budget.minutes is None:
        return BATCHES[0], STEPS // 5 if task.data.train == (DIGITS,) else STEPS
    from .pace import updates_in

    for rows in BATCHES:
        steps = updates_in(budget.minutes, model, task, rows)
        if steps >= ENOUGH:
            break
    return rows, steps


RECIPE = recipe
