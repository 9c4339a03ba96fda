"""Between annotated text and numbers: tokens, the characters of words, labels."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from regard.errors import InputError
from regard.json_text import parsed

from ..vocabulary.catalogue import from_bytes
from ..vocabulary.characters import Characters
from ..vocabulary.tokeniser import Tokeniser

TOKENS, CHARACTERS, LABELS = "tokens.json", "characters.json", "labels.json"
UNKNOWN_LABEL = -100
"""The number of a label that was not learned: it is not predicted, and no loss is taken of it."""
ENDS = 12
"""Characters at either end of a word that are read; what lies between them is not."""


@dataclass(frozen=True)
class LabelCodec:
    """What a model reads and which labels it knows."""

    tokens: Tokeniser
    """Between text and tokens."""
    labels: tuple[str, ...]
    """In the order of their numbers."""
    characters: Characters | None = None
    """What words are spelled with; ``None`` where they are not."""

    def sizes(self) -> dict[str, int]:
        """What a model's config needs to know."""
        return {
            "vocab": len(self.tokens),
            "labels": len(self.labels),
            "characters": 0 if self.characters is None else len(self.characters),
        }

    def files(self) -> dict[str, bytes]:
        """What a checkpoint keeps."""
        found = {
            TOKENS: self.tokens.to_bytes(),
            LABELS: (json.dumps(list(self.labels), ensure_ascii=False) + "\n").encode(),
        }
        if self.characters is not None:
            found[CHARACTERS] = self.characters.to_bytes()
        return found

    def pieces(self, content: str | Sequence[str]) -> list[str]:
        """The tokens of a text, or the words that were given."""
        return self.tokens.pieces(content) if isinstance(content, str) else list(content)

    def spelled(self, word: str) -> list[int]:
        """The characters of a word, those at its ends if it is long."""
        assert self.characters is not None
        if len(word) > 2 * ENDS:
            word = word[:ENDS] + word[-ENDS:]
        return self.characters.ids(self.characters.pieces(word))

    def number(self, label: str) -> int:
        """The number of a label; that of no label if it was not learned."""
        return self._numbers.get(label, UNKNOWN_LABEL)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels)}


def codec_from(files: Mapping[str, bytes], folder: Path) -> LabelCodec:
    """What :meth:`LabelCodec.files` gave.

    Raises:
        InputError: a file is missing or damaged.
    """
    for name in (TOKENS, LABELS):
        if name not in files:
            raise InputError(f"{folder / name}: needs to be there, and is not")
    try:
        labels = parsed(files[LABELS])
    except ValueError as error:
        raise InputError(f"{folder / LABELS}: needs a list of labels, {error}") from None
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise InputError(f"{folder / LABELS}: needs a list of labels")
    characters = None
    if CHARACTERS in files:
        found = from_bytes(files[CHARACTERS], folder / CHARACTERS)
        if not isinstance(found, Characters):
            raise InputError(f"{folder / CHARACTERS}: needs characters, got {found.kind}")
        characters = found
    tokens = from_bytes(files[TOKENS], folder / TOKENS)
    return LabelCodec(tokens, tuple(labels), characters)
