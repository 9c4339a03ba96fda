"""How each kind of model is best trained: settings to start from."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from regard.models import preset_config
from regard.models.build import kind_of
from regard.models.config import Seq2SeqConfig
from regard.tasks.batches import BatchConfig
from regard.tasks.translation import FileData, GrammarData, VocabularyConfig

from .config import Budget, Settings
from .objective import ObjectiveConfig
from .optimisation import OptimisationConfig
from .schedules import Cosine, InverseSquareRoot


class Recipe(NamedTuple):
    """How to train a model on some data."""

    settings: Settings
    changes: Mapping[str, Any]
    """Fields of the model's config which are better different on this data."""


def recipe(model: str | Seq2SeqConfig, data: GrammarData | FileData) -> Recipe:
    """What to start from.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        data: what it learns from.

    Raises:
        ChoiceError: no such preset.
    """
    known = (
        preset_config(model, source_vocab=8, target_vocab=8) if isinstance(model, str) else model
    )
    kind = kind_of(known)
    found = _for_grammar(kind, data) if isinstance(data, GrammarData) else _for_files(kind, data)
    return found if known is not model else found._replace(changes={})


def _for_grammar(kind: str, data: GrammarData) -> Recipe:
    """Whole words, guided attention, a few minutes; what never comes twice needs no dropout."""
    rate, words = (1e-3, 1.0) if kind == "transformer" else (2.5e-3, 3.0)
    schedule = Cosine(steps=1600, warmup=100)
    settings = Settings(
        data=data,
        vocabulary=VocabularyConfig(level="words", sharing="separate"),
        batch=BatchConfig(max_tokens=1024),
        objective=ObjectiveConfig(guided=0.2),
        optimisation=OptimisationConfig(rate=rate, word_rate=words, schedule=schedule),
        budget=Budget(steps=1600),
        average=0.99,
        validate_every=400,
        save_every=400,
        measure="exact",
        link_above=0.25,
    )
    return Recipe(settings, {"dropout": 0.0, **GRAMMAR_CHANGES.get(kind, {})})


def _for_files(kind: str, data: FileData) -> Recipe:
    """Parts of words, smoothed labels, as long as it gets better."""
    rate = 1e-3 if kind in ("transformer", "convs2s") else 2e-3
    settings = Settings(
        data=data,
        vocabulary=VocabularyConfig(),
        batch=BatchConfig(max_tokens=2048),
        objective=ObjectiveConfig(label_smoothing=0.1),
        optimisation=OptimisationConfig(rate=rate, schedule=InverseSquareRoot(warmup=1000)),
        budget=Budget(patience=10),
        average=0.999,
        validate_every=1000,
        save_every=500,
    )
    return Recipe(settings, {})


GRAMMAR_CHANGES: dict[str, dict[str, Any]] = {
    "bahdanau": {"embedding_dim": 128, "attention_dim": 128, "readout_dim": 128},
}
"""Narrow where the grammar's two thousand words leave room, so that a minute holds more steps."""
