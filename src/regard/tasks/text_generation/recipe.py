"""How language models are best trained: settings to start from."""

from regard.data.batches import BatchConfig
from regard.models import preset_config
from regard.models.build import kind_of
from regard.models.config import ModelConfig
from regard.training.schedules import Cosine, InverseSquareRoot
from regard.training.settings import Budget, OptimisationConfig, Recipe, Settings

from .task import TextGenerationTask

STEPS = 3000
"""Updates where nobody says how many."""


def recipe(
    model: str | ModelConfig, task: TextGenerationTask, budget: Budget | None = None
) -> Recipe:
    """What to start from: AdamW with β₂ = 0.95, a short warm-up, then half a wave down.

    With a number of minutes instead of updates the rate falls with their square root.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what it learns from.
        budget: when it ends; schedule and validations follow from it.
    """
    known = preset_config(model, vocab=8) if isinstance(model, str) else model
    gpt = kind_of(known) == "gpt"
    chosen = (Budget(steps=STEPS) if budget is None else budget).changed(None)
    if chosen.steps is None and chosen.minutes is None:
        chosen = chosen.model_copy(update={"steps": STEPS})
    steps = chosen.steps
    warmup = max(1, min(200, (chosen.updates or STEPS) // 20))
    schedule = (
        InverseSquareRoot(warmup=warmup)
        if steps is None
        else Cosine(steps=steps, warmup=min(warmup, steps - 1))
    )
    often = max(1, (chosen.updates or STEPS) // 8)
    length = task.window(known.longest)
    rows = task.streams or max(1, 2048 // length)
    settings = Settings(
        task=task,
        batch=BatchConfig(max_tokens=rows * length),
        optimisation=OptimisationConfig(
            rate=3e-3,
            schedule=schedule,
            betas=(0.9, 0.95),
            epsilon=1e-8,
            weight_decay=0.1 if gpt else 0.0,
        ),
        budget=chosen,
        validate_every=often,
        save_every=often,
    )
    return Recipe(settings, {})


RECIPE = recipe
