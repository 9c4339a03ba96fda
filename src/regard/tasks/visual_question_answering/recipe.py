"""How answerers are best trained: settings to start from."""

from regard.data.batches import BatchConfig
from regard.models import preset_config
from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe, half_wave

from ..captioning.recipe import AVERAGE
from ..seeing.reading import reading_of
from .task import VisualQuestionAnsweringTask

ENDLESS_STEPS, FILE_STEPS = 4000, 1200
PICTURES, QUESTIONS = 48, 16
"""Of a batch, and for each picture."""


def recipe(
    model: str | ModelConfig,
    task: VisualQuestionAnsweringTask | None = None,
    budget: Budget | None = None,
) -> Recipe:
    """What to start from: Adam, half a wave down, the average of the weights.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what it learns from; our own scenes if not given.
        budget: when it ends.
    """
    known = preset_config(model, vocab=8, answers=2) if isinstance(model, str) else model
    chosen = task or VisualQuestionAnsweringTask()
    grid = getattr(known, "grid", None)
    if grid is not None:
        chosen = chosen.model_copy(update={"reading": reading_of(grid, chosen.reading)})
    endless = chosen.data.kind == "scenes" or bool(chosen.data.scenes)
    settings = half_wave(
        chosen,
        budget,
        steps=ENDLESS_STEPS if endless else FILE_STEPS,
        rate=1.5e-3 if endless else 1e-3,
        batch=BatchConfig(max_tokens=PICTURES * QUESTIONS, max_rows=PICTURES),
        validations=10,
        average=AVERAGE[chosen.reading.kind],
    )
    return Recipe(settings, {})


RECIPE = recipe
