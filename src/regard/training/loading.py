"""What a run has learned, ready to be used: from its folder, or packed to be passed on."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ConfigDict

from regard.config import Config
from regard.models import build
from regard.models.config import Seq2SeqConfig
from regard.tasks.vocabulary import Vocabularies
from regard.translation import Translator
from regard.types import PathLike, Tensor

from . import checkpoint as checkpoints
from .config import ModelConfig
from .run_folder import read_best
from .skeleton import require_model
from .undrawn import Undrawn
from .vocabularies import load_vocabularies


class TranslatorConfig(Config):
    """Of all that decides how a run goes, what using it takes; the rest is not looked at."""

    model_config = ConfigDict(extra="ignore")

    model: ModelConfig
    """What was trained."""


class Lessons(Config):
    """Of the data that a model was trained on, what testing it takes."""

    model_config = ConfigDict(extra="ignore")

    kind: str = ""
    """``grammar`` or ``files``; empty where it is not known."""
    max_words: int = 20
    """The longest sentence of the grammar."""


class TaughtConfig(Config):
    """Of all that decides how a run goes, what it was taught with."""

    model_config = ConfigDict(extra="ignore")

    data: Lessons = Lessons()
    """Packed models hold none."""


def load_translator(path: PathLike, *, device: str = "cpu") -> Translator:
    """The translator of a checkpoint or a packed model, or of the best or else last one of a run.

    Args:
        path: a checkpoint, the folder of a run, or what :func:`regard.zoo.packing.pack` wrote.
        device: where it is to compute.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
    """
    return read_best(path, lambda folder: _translator(folder, device))


def load_lessons(path: PathLike) -> Lessons:
    """What a model was trained on, by the configuration of its checkpoint.

    Args:
        path: as for :func:`load_translator`.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
    """
    return read_best(path, lambda folder: checkpoints.load_config(folder, TaughtConfig).data)


def _translator(folder: Path, device: str) -> Translator:
    config, weights = checkpoints.load(folder, TranslatorConfig, require_model)
    return translator_from(
        config.model, weights, load_vocabularies(folder, config.model), device=device
    )


def translator_from(
    config: Seq2SeqConfig,
    weights: Mapping[str, Tensor],
    vocabularies: Vocabularies,
    *,
    device: str = "cpu",
) -> Translator:
    """A translator of parts; no random number is drawn.

    Args:
        config: what the model is built from.
        weights: its ``state_dict()``.
        vocabularies: between text and tokens.
        device: where it is to compute.
    """
    with Undrawn():
        model = build(config)
    model.load_state_dict(weights)
    return Translator(model.to(device).eval(), vocabularies)
