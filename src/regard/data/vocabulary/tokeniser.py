"""The contract of every tokeniser and of what learns one; tokenisers over a numbered table."""

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from regard.config import Config
from regard.errors import InputError

from ..files import write_whole
from .splitting import Span, words_of

PAD, UNK, BOS, EOS = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
"""The first entries of every vocabulary, in the order of their numbers."""

FILE = "tokeniser.json"
FORMAT = 1


@runtime_checkable
class Tokeniser(Protocol):
    """Text to token numbers and back.

    Text is cut into pieces; each piece has a number, or that of ``unk``. Numbers of ``encode``
    carry neither ``bos`` nor ``eos``: who makes batches puts them where they belong.
    """

    kind: ClassVar[str]
    """The name under which it is stored."""
    pad: int = PAD
    unk: int = UNK
    bos: int = BOS
    eos: int = EOS
    mask: int = EOS
    """``[MASK]``: the number that ends sentences elsewhere, which no text is encoded with."""
    whole: ClassVar[bool] = False
    """Whether text of many lines is cut at once, new lines and all."""

    @property
    def specials(self) -> frozenset[int]:
        """Numbers of tokens that are no text."""
        return frozenset(range(len(SPECIALS)))

    @property
    def opening(self) -> tuple[int, ...]:
        """Tokens that a text to go on with begins with, before its own."""
        return ()

    @property
    def closing(self) -> tuple[int, ...]:
        """Tokens that a text ends with, behind its own."""
        return ()

    @property
    def hole(self) -> str | None:
        """How a hidden word is written in text; ``None`` where no text means ``mask``."""
        return None

    @abstractmethod
    def __len__(self) -> int:
        """How many tokens there are, with the special ones."""

    @abstractmethod
    def pieces(self, text: str) -> list[str]:
        """``text`` in pieces, as many as :meth:`encode` gives numbers."""

    @abstractmethod
    def ids(self, pieces: Sequence[str]) -> list[int]:
        """The numbers of ``pieces``."""

    def cut(self, text: str) -> list[tuple[str, Span]]:
        """The pieces, and which characters of ``text`` each stands for."""
        pieces = self.pieces(text)
        return list(zip(pieces, self.spans(pieces), strict=True))

    def begins(self, piece: str) -> bool:
        """Whether a word begins with a piece."""
        return True

    def shown(self, piece: str) -> str:
        """A piece as people read it."""
        return piece.strip()

    def encode(self, text: str) -> list[int]:
        """The numbers of the pieces of ``text``."""
        return self.ids(self.pieces(text))

    @abstractmethod
    def pieces_of(self, ids: Iterable[int]) -> list[str]:
        """The pieces of token numbers, without those of ``pad``, ``bos`` and ``eos``.

        Raises:
            InputError: a number that is not in the vocabulary.
        """

    def decode(self, ids: Iterable[int]) -> str:
        """The text of token numbers; ``pad``, ``bos`` and ``eos`` leave no trace."""
        return self.text(self.pieces_of(ids))

    @abstractmethod
    def text(self, pieces: Sequence[str]) -> str:
        """The text that was cut into ``pieces``, to the character."""

    @abstractmethod
    def spans(self, pieces: Sequence[str]) -> list[Span]:
        """Which characters of the text each piece stands for, as (start, end)."""

    def word_of(self, pieces: Sequence[str]) -> list[int]:
        """The number of the word that each piece belongs to, counted from 0.

        Words are those of :func:`regard.data.vocabulary.split`; a piece that touches several
        belongs to the first of them, a piece of space to the next.
        """
        return words_of(self.text(pieces), self.spans(pieces))

    def save(self, folder: Path | str) -> None:
        """Write into ``folder`` all that :meth:`load` needs.

        Raises:
            InputError: the folder is not there or may not be written to.
        """
        write_whole(Path(folder, FILE), lambda file: file.write(self.to_bytes()))

    def to_bytes(self) -> bytes:
        """What :meth:`save` writes."""
        content = {"kind": self.kind, "format": FORMAT, **self.content()}
        return (json.dumps(content, ensure_ascii=False, indent=0) + "\n").encode()

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """All that makes this tokeniser, as JSON."""

    @classmethod
    @abstractmethod
    def from_content(cls, content: dict[str, Any]) -> "Tokeniser":
        """The tokeniser that :meth:`content` came from."""


Fallback = Literal["bytes", "unknown"]
"""What is not in the vocabulary: spelled in bytes, or one token for all of it."""


class Learner(Config):
    """The settings of one kind of tokeniser."""

    @abstractmethod
    def learn(self, texts: Iterable[str]) -> Tokeniser:
        """The tokeniser of ``texts``, the same one for the same texts.

        Raises:
            InputError: there is nothing to learn from.
        """


class Table:
    """Entries and their numbers, in both directions.

    Args:
        entries: all but the special ones, each once.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self.entries = tuple(entries)
        self.pieces = (*SPECIALS, *entries)
        self.ids = {piece: number for number, piece in enumerate(entries, start=len(SPECIALS))}
        if len(self.ids) != len(self.entries):
            raise InputError("a vocabulary needs every entry once, got one twice")

    def __len__(self) -> int:
        return len(self.pieces)

    def numbers(self, pieces: Iterable[str]) -> list[int]:
        """The number of every piece, or that of the unknown."""
        found = self.ids.get
        return [found(piece, UNK) for piece in pieces]

    def pieces_of(self, ids: Iterable[int]) -> list[str]:
        """The pieces of ``ids``, without the special ones other than the unknown.

        Raises:
            InputError: a number that is in no vocabulary of this size.
        """
        found: list[str] = []
        for number in ids:
            if not 0 <= number < len(self):
                raise InputError(f"token {number} is not among the {len(self)} of the vocabulary")
            if number == UNK or number >= len(SPECIALS):
                found.append(self.pieces[number])
        return found


class TableTokeniser(Tokeniser):
    """A tokeniser whose pieces are the entries of a table; the unknown is ``<unk>``."""

    table: Table

    def __len__(self) -> int:
        return len(self.table)

    def ids(self, pieces: Sequence[str]) -> list[int]:
        """The numbers of ``pieces``."""
        return self.table.numbers(pieces)

    def pieces_of(self, ids: Iterable[int]) -> list[str]:
        """The pieces of token numbers; the unknown is ``<unk>``."""
        return self.table.pieces_of(ids)


def frequent(pieces: Iterable[str], *, size: int | None, min_count: int) -> list[str]:
    """The most frequent pieces, as many as fit; ties in the order of the alphabet.

    Args:
        pieces: all that occur.
        size: of the vocabulary with the special entries; unlimited if ``None``.
        min_count: how often a piece must occur.

    Raises:
        InputError: there is nothing to learn from.
    """
    counts = Counter(pieces)
    if not counts:
        raise InputError("a vocabulary needs text to be learned from, got none")
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    limit = None if size is None else max(size - len(SPECIALS), 0)
    return [piece for piece, count in ranked if count >= min_count][:limit]


def stored_entries(content: dict[str, Any], field: str) -> list[str]:
    """A list of entries as it was stored.

    Raises:
        InputError: it is something else.
    """
    entries = content.get(field)
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise InputError(f"needs a list of text in the field {field!r}")
    return entries
