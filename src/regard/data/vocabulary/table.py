"""Tokenisers over a table of numbered entries, the special ones first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from regard.errors import InputError

from .tokeniser import SPECIALS, UNK, Tokeniser


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
