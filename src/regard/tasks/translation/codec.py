"""The vocabularies of a checkpoint: the files that its manifest lists, and no others."""

from pathlib import Path

from regard.data.vocabulary import Vocabularies, both_from
from regard.errors import DamagedError, InputError
from regard.models.config import Seq2SeqConfig
from regard.storage import manifest

VOCABULARY = "vocabulary"
"""Folder of a checkpoint that holds them."""


def attached(vocabularies: Vocabularies) -> dict[str, bytes]:
    """The files to be put into a checkpoint."""
    return {f"{VOCABULARY}/{name}": data for name, data in vocabularies.files().items()}


def load_vocabularies(folder: Path, model: Seq2SeqConfig) -> Vocabularies:
    """Those of a checkpoint.

    Args:
        folder: the checkpoint.
        model: what reads and writes their tokens.

    Raises:
        DamagedError: a file is missing, changed, or no vocabulary of this model; the message
            names it.
        StorageError: another version of regard wrote it.
    """
    files = manifest.below(folder, VOCABULARY, manifest.read(folder))
    try:
        both = both_from(files, folder / VOCABULARY)
    except InputError as error:
        raise DamagedError(f"{error}; use another checkpoint") from None
    sizes = (len(both.source), len(both.target))
    if sizes != (model.source_vocab, model.target_vocab):
        raise DamagedError(
            f"{folder / VOCABULARY} is damaged: it has {sizes[0]} and {sizes[1]} tokens, and its "
            f"model knows {model.source_vocab} and {model.target_vocab}; use another checkpoint"
        )
    return both
