"""Pairs in columns: tabs between them (TSV), or commas with quotes (CSV)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from regard.errors import InputError

from .layouts import Files, Layout, build_pair, one_file, parse_links
from .lines import Place, TextPair
from .records import quoted, tabbed

Column = Annotated[int, Field(ge=0)] | str
"""A column by its number, counted from 0, or by its name in the header."""


class Record(NamedTuple):
    """The cells of one line, or of several where line ends are quoted."""

    place: Place
    cells: list[str]


class Columns(Layout):
    """Columns separated by tabs (TSV); those that are not named here are ignored."""

    source: Column = 0
    """Column of the source."""
    references: tuple[Column, ...] = Field(default=(1,), min_length=1)
    """Columns of the translations."""
    alignment: Column | None = None
    """Column of links such as ``0-0 1-2``; may be missing or blank in a line."""
    header: bool = False
    """Whether the first line is a header; it is one whenever a column is given by name."""

    def pairs(self, files: Files) -> Iterator[TextPair]:
        """One pair per line or record, those below the header."""
        records = self._records(one_file(files))
        first = next(records)
        texts = self._texts(first)
        wanted = texts if self.alignment is None else (*texts, self.alignment)
        numbers = [_number(column, first) for column in wanted]
        if not self.header and all(isinstance(column, int) for column in wanted):
            yield self._pair(first, numbers, len(texts))
        for record in records:
            yield self._pair(record, numbers, len(texts))

    def _records(self, path: Path | str) -> Iterator[Record]:
        return (Record(place, cells) for place, cells in tabbed(path))

    def _texts(self, first: Record) -> tuple[Column, ...]:
        """The columns of the source and of its translations."""
        return (self.source, *self.references)

    def _pair(self, record: Record, numbers: list[int], texts: int) -> TextPair:
        """The pair in columns ``numbers``: ``texts`` of text, then perhaps one of links."""
        place, cells = record
        if not any(cell.strip() for cell in cells):
            return build_pair("", [], None, place)
        needed = max(numbers[:texts]) + 1
        if len(cells) < needed:
            raise InputError(
                f"{place}: needs {needed} columns separated by {self._separators}, got {len(cells)}"
            )
        links = [parse_links(cells[n], place) for n in numbers[texts:] if n < len(cells)]
        source, *references = (cells[number] for number in numbers[:texts])
        return build_pair(source, references, links[0] if links else None, place)

    @property
    def _separators(self) -> str:
        return "tabs"


class Csv(Columns):
    """Columns separated by commas, quoted where needed (CSV, RFC 4180).

    A first line with cells ``source`` and ``target`` is a header also if no column is chosen.
    Quoted line ends become spaces.
    """

    separator: str = Field(default=",", min_length=1, max_length=1)
    """What stands between two cells; a semicolon in some countries."""

    def _records(self, path: Path | str) -> Iterator[Record]:
        for place, cells in quoted(path, self.separator):
            yield Record(place, [cell.replace("\n", " ") for cell in cells])

    def _texts(self, first: Record) -> tuple[Column, ...]:
        chosen = super()._texts(first)
        named = chosen == (0, 1) and {"source", "target"} <= set(first.cells)
        return ("source", "target") if named else chosen

    @property
    def _separators(self) -> str:
        return "commas" if self.separator == "," else repr(self.separator)


def _number(column: Column, header: Record) -> int:
    """The number of ``column``, counted from 0."""
    if isinstance(column, int):
        return column
    names = [cell.strip() for cell in header.cells]
    if column not in names:
        raise InputError(
            f"{header.place}: needs a header with a column {column!r}, got {', '.join(names)}"
        )
    return names.index(column)
