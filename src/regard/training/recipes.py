"""How each kind of model is best trained, as settings to start from."""

from regard.models import preset_config
from regard.tasks.batches import BatchConfig
from regard.tasks.translation import FileData, GrammarData, VocabularyConfig

from .config import Budget, Settings
from .objective import ObjectiveConfig
from .optimisation import OptimisationConfig
from .schedules import Cosine, InverseSquareRoot

RECURRENT_RATE = 2e-3
ATTENTIVE_RATE = 1e-3


def grammar_settings(model: str, data: GrammarData) -> Settings:
    """For sentences of the grammar: whole words, guided attention, a few minutes."""
    return Settings(
        data=data,
        vocabulary=VocabularyConfig(level="words", sharing="separate"),
        batch=BatchConfig(max_tokens=1024),
        objective=ObjectiveConfig(guided=0.5),
        optimisation=OptimisationConfig(rate=3e-3, schedule=Cosine(steps=2000, warmup=100)),
        budget=Budget(steps=2000),
        average=0.99,
        validate_every=500,
        save_every=500,
        measure="exact",
    )


def file_settings(model: str, data: FileData) -> Settings:
    """For a user's own pairs: parts of words, smoothed labels, as long as she likes."""
    return Settings(
        data=data,
        vocabulary=VocabularyConfig(),
        batch=BatchConfig(max_tokens=2048),
        objective=ObjectiveConfig(label_smoothing=0.1),
        optimisation=OptimisationConfig(rate=2e-3, schedule=InverseSquareRoot(warmup=1000)),
        budget=Budget(patience=10),
        average=0.999,
        validate_every=1000,
        save_every=500,
    )


def recipe(model: str, data: GrammarData | FileData) -> Settings:
    """The settings to start from.

    Args:
        model: a preset's name.
        data: what it learns from.

    Raises:
        ChoiceError: no such preset.
    """
    preset_config(model, source_vocab=8, target_vocab=8)
    if isinstance(data, GrammarData):
        return grammar_settings(model, data)
    return file_settings(model, data)
