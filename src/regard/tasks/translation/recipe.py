"""How each kind of model is best trained: settings to start from."""

from typing import Any, NamedTuple

from regard.data.batches import BatchConfig
from regard.models import preset_config
from regard.models.build import kind_of
from regard.models.config import ModelConfig
from regard.training.schedules import Cosine, InverseSquareRoot, Linear
from regard.training.settings import Budget, OptimisationConfig, Recipe, Settings

from .config import LossConfig
from .files import FileData
from .grammar import GrammarData
from .task import TranslationTask, VocabularyConfig


def recipe(
    model: str | ModelConfig, data: GrammarData | FileData, budget: Budget | None = None
) -> Recipe:
    """What to start from.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        data: what it learns from.
        budget: when it ends; warm-up and validations follow from it, and the schedule of the
            grammar.

    Raises:
        ChoiceError: no such preset.
    """
    known = (
        preset_config(model, source_vocab=8, target_vocab=8) if isinstance(model, str) else model
    )
    kind, trained = kind_of(known), known is model
    if isinstance(data, GrammarData):
        found = _for_grammar(kind, data, budget)
    else:
        found = _for_files(kind, data, budget, warmup=FEW if trained else MANY)
    return found._replace(changes={}) if trained else found


def task_recipe(
    model: str | ModelConfig, task: TranslationTask, budget: Budget | None = None
) -> Recipe:
    """What to start from, by the data of a task."""
    return recipe(model, task.data, budget)


RECIPE = task_recipe

MANY, FEW = 1000, 100
"""Updates of warm-up at most, of a new model and of a trained one; or a tenth of all, if less."""


class _Pace(NamedTuple):
    """How fast a kind of model learns from the grammar."""

    rate: float
    words: float
    """How many times faster embeddings and output layer learn."""
    tokens: int
    """Of a batch."""
    schedule: Cosine | Linear
    clip: float = 1.0
    """Longest gradient."""
    average: float = 0.99
    """Decay of the average of the weights."""
    rarest_of: int = 1
    """See :class:`GrammarData`; where it is not given there."""


def _for_grammar(kind: str, data: GrammarData, budget: Budget | None) -> Recipe:
    """Whole words, guided attention, a few minutes; what never comes twice needs no dropout."""
    pace = PACES.get(kind, _Pace(2.5e-3, 3.0, 1024, Cosine(steps=1600, warmup=100)))
    chosen = Budget(steps=pace.schedule.steps).changed(budget)
    steps = chosen.steps or pace.schedule.steps
    warmup = min(pace.schedule.warmup, steps // 10)
    schedule = pace.schedule.model_copy(update={"steps": steps, "warmup": warmup})
    often = max(1, steps // 4)
    if "rarest_of" not in data.model_fields_set:
        data = data.model_copy(update={"rarest_of": pace.rarest_of})
    settings = Settings(
        task=TranslationTask(
            data=data,
            vocabulary=VocabularyConfig(level="words", sharing="separate"),
            loss=LossConfig(guided=0.2),
            link_above=0.25,
        ),
        batch=BatchConfig(max_tokens=pace.tokens),
        optimisation=OptimisationConfig(
            rate=pace.rate,
            rate_factors={"embeddings": pace.words},
            schedule=schedule,
            clip=pace.clip,
        ),
        budget=chosen,
        average=pace.average,
        validate_every=often,
        save_every=often,
        measure="exact",
    )
    return Recipe(settings, {"dropout": 0.0, **GRAMMAR_CHANGES.get(kind, {})})


def _for_files(kind: str, data: FileData, budget: Budget | None, *, warmup: int) -> Recipe:
    """Parts of words, smoothed labels, as long as it gets better."""
    rate = 1e-3 if kind in ("transformer", "convs2s") else 2e-3
    chosen = Budget(patience=10).changed(budget)
    tenth = warmup if chosen.updates is None else max(1, chosen.updates // 10)
    settings = Settings(
        task=TranslationTask(data=data, loss=LossConfig(label_smoothing=0.1)),
        batch=BatchConfig(max_tokens=2048),
        optimisation=OptimisationConfig(
            rate=rate,
            # What words say is learned before where they stand: a centre of local-p that an early
            # gradient has driven to an end of the sentence hardly comes back, its sigmoid is flat.
            rate_factors={"embeddings": 4.0, "window_centres": 0.02},
            schedule=InverseSquareRoot(warmup=min(warmup, tenth)),
        ),
        budget=chosen,
        average=0.999,
        validate_every=1000 if chosen.updates is None else min(1000, max(50, tenth)),
        save_every=500,
    )
    return Recipe(settings, {})


PACES = {
    "bahdanau": _Pace(
        rate=1.8e-3,
        words=3.0,
        tokens=512,
        schedule=Linear(steps=3600, warmup=100),
        clip=0.5,
        average=0.995,
        rarest_of=3,
    ),
    "transformer": _Pace(1e-3, 1.0, 1024, Cosine(steps=1600, warmup=100)),
}
"""Those whose own pace is known; small batches learn more from as many tokens, if steps are cheap.
"""
GRAMMAR_CHANGES: dict[str, dict[str, Any]] = {
    "bahdanau": {
        "embedding_dim": 128,
        "hidden_dim": 192,
        "attention_dim": 128,
        "readout_dim": 128,
    },
}
"""Narrow where the grammar's two thousand words leave room, so that a minute holds more steps."""
