"""What a run has learned, ready to be used."""

from pathlib import Path

from regard.models import build
from regard.tasks.vocabulary import load_both
from regard.translation import Translator

from . import checkpoint as checkpoints
from .config import RunConfig
from .run import VOCABULARY
from .run_folder import read_best


def load_translator(path: Path, *, device: str = "cpu") -> Translator:
    """The translator of a checkpoint, or of the best or else last one of a run.

    Args:
        path: a checkpoint, or the folder of a run.
        device: where it is to compute.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
    """
    return read_best(path, lambda folder: _translator(folder, device))


def _translator(folder: Path, device: str) -> Translator:
    config, weights = checkpoints.load(folder, RunConfig)
    vocabularies = load_both(folder / VOCABULARY)
    model = build(config.model)
    model.load_state_dict(weights)
    return Translator(model.to(device).eval(), vocabularies)
