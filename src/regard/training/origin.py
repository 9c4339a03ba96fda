"""What a new run goes on from: a model that was trained before."""

from pathlib import Path
from typing import NamedTuple

from regard.models.config import Seq2SeqConfig
from regard.tasks.translation import VocabularyConfig
from regard.tasks.vocabulary import Vocabularies, load_both
from regard.types import Tensor

from . import checkpoint as checkpoints
from .loading import TranslatorConfig
from .run import VOCABULARY
from .run_folder import read_best


class Origin(NamedTuple):
    """A model, its weights, and the vocabularies that they are for."""

    model: Seq2SeqConfig
    weights: dict[str, Tensor]
    vocabularies: Vocabularies
    vocabulary: VocabularyConfig
    """How these were found."""


class _OriginConfig(TranslatorConfig):
    vocabulary: VocabularyConfig = VocabularyConfig()


def load_origin(path: Path) -> Origin:
    """That of a checkpoint or a packed model, or of the best or else last one of a run.

    Args:
        path: as for :func:`regard.training.load_translator`.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
    """
    return read_best(path, _origin)


def _origin(folder: Path) -> Origin:
    config, weights = checkpoints.load(folder, _OriginConfig)
    return Origin(config.model, weights, load_both(folder / VOCABULARY), config.vocabulary)
