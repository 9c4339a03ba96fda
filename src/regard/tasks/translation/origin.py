"""What a new run goes on from: a model that was trained before."""

from pathlib import Path
from typing import NamedTuple

from regard.data.vocabulary import Vocabularies
from regard.models.config import Seq2SeqConfig
from regard.storage import checkpoint as checkpoints
from regard.storage.ancestor import Ancestor, ancestor_in
from regard.storage.run_folder import read_best
from regard.storage.skeleton import require_model
from regard.tasks.translation import VocabularyConfig
from regard.types import PathLike, Tensor

from .codec import load_vocabularies
from .loading import TranslatorConfig


class Origin(NamedTuple):
    """A model, its weights, and the vocabularies that they are for."""

    model: Seq2SeqConfig
    weights: dict[str, Tensor]
    vocabularies: Vocabularies
    vocabulary: VocabularyConfig
    """How these were found."""
    ancestor: Ancestor | None = None
    """Which model it is; ``None`` for one that is not trained."""


class _OriginConfig(TranslatorConfig):
    vocabulary: VocabularyConfig | None = None
    """Packed models hold none."""
    ancestor: Ancestor | None = None
    """What it began with itself."""


def load_origin(path: PathLike) -> Origin:
    """That of a checkpoint or a packed model, or of the best or else last one of a run.

    Args:
        path: as for :func:`regard.training.load_translator`.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
    """
    return read_best(path, _origin)


def _origin(folder: Path) -> Origin:
    config, weights = checkpoints.load(folder, _OriginConfig, require_model)
    both = load_vocabularies(folder, config.model)
    found = config.vocabulary or _told_by(both)
    return Origin(config.model, weights, both, found, ancestor_in(folder, config.ancestor))


def _told_by(both: Vocabularies) -> VocabularyConfig:
    """What vocabularies themselves tell of how they were found."""
    kind = both.target.kind
    settings = {
        "level": "bpe" if kind == "pieces" else kind,
        "size": max(8, len(both.target)),  # as small as settings allow
        "sharing": "joint" if both.source is both.target else "separate",
    }
    return VocabularyConfig.model_validate(settings)
