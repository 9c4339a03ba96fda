"""Between running text and token numbers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regard.config import Config
from regard.data.vocabulary import Characters, Tokeniser, learner
from regard.data.vocabulary.catalogue import from_bytes
from regard.data.vocabulary.pieces import Pieces
from regard.data.vocabulary.tokeniser import FILE
from regard.errors import InputError

NEWLINE = "\n"
NEWLINE_BYTE = "<0x0A>"
MISSING = "\ufffd"
"""What bytes that are no whole character read as."""


class TextCodec(NamedTuple):
    """A tokeniser for text of many lines; it comes back to the character."""

    tokeniser: Tokeniser

    def sizes(self) -> dict[str, int]:
        """How many tokens there are."""
        return {"vocab": len(self.tokeniser)}

    def files(self) -> dict[str, bytes]:
        """The tokeniser."""
        return {FILE: self.tokeniser.to_bytes()}

    @property
    def newline(self) -> int:
        """The token of a new line; that of the beginning, where text has only one."""
        if self.tokeniser.whole:
            return (self.tokeniser.encode(NEWLINE) or [self.tokeniser.bos])[-1]
        piece = NEWLINE_BYTE if self._in_bytes else NEWLINE
        found = self.tokeniser.ids([piece])[0]
        return self.tokeniser.bos if found == self.tokeniser.unk else found

    def encode(self, text: str) -> NDArray[Any]:
        """The tokens of a text."""
        if self.tokeniser.whole:
            return np.array(self.tokeniser.encode(text), dtype=np.int64)
        if isinstance(self.tokeniser, Characters) and not self._in_bytes:
            return self._characters(text)
        if isinstance(self.tokeniser, Characters):
            return (
                np.frombuffer(text.encode(errors="replace"), np.uint8).astype(np.int64)
                + (self.tokeniser.ids(["<0x00>"])[0])
            )
        ids: list[int] = []
        for number, line in enumerate(text.split(NEWLINE)):
            if number:
                ids.append(self.newline)
            ids.extend(self.tokeniser.encode(line))
        return np.array(ids, dtype=np.int64)

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """The tokens that are just this text: alone, and as the rest of a word where these differ.

        A vocabulary of parts of words spells *.* in front of a line otherwise than behind a word.
        """
        ways = [self.encode(text).tolist()]
        if isinstance(self.tokeniser, Pieces) and text.strip():
            ways.append(self.encode(f"a{text}").tolist()[len(self.encode("a")) :])
        unknown = self.tokeniser.unk
        return tuple({ids[0]: None for ids in ways if len(ids) == 1 and ids[0] != unknown})

    @property
    def opening(self) -> list[int]:
        """What a text of nothing begins with."""
        return [self.tokeniser.bos if self.tokeniser.whole else self.newline]

    @property
    def ends(self) -> tuple[int, ...]:
        """Tokens that a text ends with by itself; models that read a stream have none."""
        return (self.tokeniser.eos,) if self.tokeniser.whole else ()

    @property
    def forbidden(self) -> tuple[int, ...]:
        """Tokens that are never written: those that a stream of text does not have."""
        return () if self.tokeniser.whole else (self.tokeniser.unk, self.tokeniser.eos)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of tokens."""
        text = self.tokeniser.decode(ids)
        if isinstance(self.tokeniser, Pieces):  # every line begins with the space it was given
            text = text.replace(f"{NEWLINE} ", NEWLINE)
        return text

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The tokens as their vocabulary writes them."""
        return self.tokeniser.pieces_of(ids)

    @property
    def _in_bytes(self) -> bool:
        return not isinstance(self.tokeniser, Characters) or not self.tokeniser.characters

    def _characters(self, text: str) -> NDArray[Any]:
        """All at once: one look-up for each character, no loop."""
        assert isinstance(self.tokeniser, Characters)
        known = self.tokeniser.characters
        points = np.array([ord(character) for character in known])
        table = np.full(max(points.max(initial=0), 1) + 1, self.tokeniser.unk)
        table[points] = self.tokeniser.ids(known)
        codes = np.frombuffer(text.encode("utf-32-le", errors="replace"), np.uint32)
        return np.where(
            codes < len(table), table[np.minimum(codes, len(table) - 1)], table.dtype.type(1)
        )


class VocabularyConfig(Config):
    """Which tokens there are."""

    level: Literal["characters", "bytes", "bpe", "unigram"] = "characters"
    """Kind of tokens: characters, the bytes of UTF-8, or parts of words by sentencepiece."""
    size: int = Field(default=4096, ge=264)
    """Number of parts of words at most."""

    def learn(self, text: str) -> TextCodec:
        """The tokens of a text."""
        if self.level == "bytes":
            return TextCodec(Characters(()))
        if self.level == "characters":
            return TextCodec(learner("characters", fallback="unknown").learn([text]))
        return TextCodec(learner(self.level, size=self.size).learn(_lines(text)))


def _lines(text: str) -> Iterable[str]:
    return (line for line in text.split(NEWLINE) if line)


def codec_from(files: Mapping[str, bytes], folder: Path) -> TextCodec:
    """What :meth:`TextCodec.files` gave.

    Raises:
        InputError: the file is missing or damaged.
    """
    if FILE not in files:
        raise InputError(f"{folder / FILE}: a vocabulary needs this file, it is missing")
    return TextCodec(from_bytes(files[FILE], folder / FILE))
