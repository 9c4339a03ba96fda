"""How captioners are best trained: settings to start from."""

from regard.data.batches import BatchConfig
from regard.models import preset_config
from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe, half_wave

from ..seeing.reading import reading_of
from .data import SceneCaptions
from .loss import CaptionLossConfig
from .task import CaptioningTask

SCENE_STEPS, FILE_STEPS = 3000, 6000
AVERAGE = {"pixels": 0.98, "maps": 0.995}
"""Decay of the average of the weights. Means and deviations of batch norm are the latest, so that
what is averaged with a CNN must not be old."""
ROWS, WORDS = 64, 24
"""Captions of a batch, and the words that are reckoned with for each."""


def recipe(
    model: str | ModelConfig, task: CaptioningTask | None = None, budget: Budget | None = None
) -> Recipe:
    """What to start from: Adam, half a wave down, the average of the weights.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what it learns from; our own scenes if not given.
        budget: when it ends.
    """
    known = preset_config(model, vocab=8) if isinstance(model, str) else model
    chosen = task or CaptioningTask()
    chosen = _for(chosen, known)
    scenes = isinstance(chosen.data, SceneCaptions)
    settings = half_wave(
        chosen,
        budget,
        steps=SCENE_STEPS if scenes else FILE_STEPS,
        rate=1.5e-3 if scenes else 1e-3,
        batch=BatchConfig(max_tokens=ROWS * WORDS, max_rows=ROWS),
        validations=6 if scenes else 12,
        weight_decay=0.0 if scenes else 0.01,
        average=AVERAGE[chosen.reading.kind],
        measure="exact" if scenes else "bleu4",
    )
    return Recipe(settings, {})


def _for(task: CaptioningTask, model: ModelConfig) -> CaptioningTask:
    """The task as a model reads pictures, and with the loss that suits its data."""
    said: dict[str, object] = {}
    grid = getattr(model, "grid", None)
    if grid is not None:
        said["reading"] = reading_of(grid, task.reading)
    if "loss" not in task.model_fields_set:
        # A scene has few things on many places: most of them are rightly never looked at.
        scenes = isinstance(task.data, SceneCaptions)
        said["loss"] = CaptionLossConfig(
            doubly_stochastic=0.0 if scenes else 1.0, label_smoothing=0.0 if scenes else 0.1
        )
    if not isinstance(task.data, SceneCaptions) and "vocabulary" not in task.model_fields_set:
        said["vocabulary"] = task.vocabulary.model_copy(
            update={"min_count": 3, "marks": "left out"}
        )
    return task.model_copy(update=said)


RECIPE = recipe
