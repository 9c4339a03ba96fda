"""What a run has learned, ready to be used: from its folder, or packed to be passed on."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ConfigDict

from regard.config import Config
from regard.data.vocabulary import Vocabularies
from regard.models import build
from regard.models.config import Seq2SeqConfig
from regard.storage import checkpoint as checkpoints
from regard.storage.run_folder import read_best
from regard.storage.skeleton import require_model
from regard.storage.undrawn import Undrawn
from regard.tasks.translation.predictor import Translator
from regard.training.config import ModelConfig
from regard.types import PathLike, Tensor

from .codec import load_vocabularies


class TranslatorConfig(Config):
    """Of all that decides how a run goes, what using it takes; the rest is not looked at."""

    model_config = ConfigDict(extra="ignore")

    model: ModelConfig
    """What was trained."""


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
