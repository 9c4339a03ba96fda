"""How pairs stand in files: columns, parallel files, JSON lines.

Every layout yields one pair per line, blank ones too, so that line numbers of files that belong
zip_lines agree.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from regard.config import Config
from regard.errors import InputError

from .lines import Line, Links, Place, TextPair, cleaned, lines, name_of, quoted, tabbed, zip_lines

Split = Callable[[str], Sequence[str]]
"""Text into the words that links count."""

_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")


def parse_links(text: str, place: Place) -> Links | None:
    """The links of one line; ``None`` for a blank line, which has no gold.

    Raises:
        InputError: something that is no link.
    """
    found = []
    for word in text.split():
        link = _LINK.fullmatch(word)
        if link is None:
            raise InputError(
                f"{place}: needs links such as 0-0 1-2 (source-target, counted from 0), "
                f"got {word[:40]!r}"
            )
        found.append((int(link[1]), int(link[2])))
    return frozenset(found) or None


def check_links(
    links: Links | None, source: str, target: str, place: Place, split: Split = str.split
) -> Links | None:
    """``links``, if every one points at a word; words are split at spaces if not told otherwise.

    Raises:
        InputError: a link beyond the last word.
    """
    words = len(split(source)), len(split(target))
    spaced = split is str.split
    for link in sorted(links or ()):
        for side, position, count in zip(("source", "target"), link, words, strict=True):
            if position >= count:
                raise InputError(
                    f"{place}: link {link[0]}-{link[1]} points at {side} word {position}, but "
                    f"there are {count}, counted from 0{' and split at spaces' * spaced}"
                )
    return links


def add_links(
    pairs: Iterator[TextPair], path: Path | str, split: Split = str.split
) -> Iterator[TextPair]:
    """``pairs``, one per line, with the alignments of a file beside them.

    Raises:
        InputError: the file has more or fewer lines, or something that is no link.
    """
    beside = lines(path)
    last: TextPair | None = None
    for number, last in enumerate(pairs, 1):
        line = next(beside, None)
        if line is None:
            raise InputError(
                f"{name_of(path)}, line {number}: needs a line (blank without gold) for "
                f"every line of {last.place.file}, but ends after line {number - 1}"
            )
        yield _with_links(last, line, split)
    extra = next(beside, None)
    if extra is not None and last is not None:
        raise InputError(
            f"{extra.place}: needs as many lines as {last.place.file}, which ends after line "
            f"{last.place.line}"
        )


def _with_links(pair: TextPair, line: Line, split: Split) -> TextPair:
    links = parse_links(line.text, line.place)
    if pair.source and pair.references:
        links = check_links(links, pair.source, pair.target, line.place, split)
    return pair._replace(alignment=links)


Files = tuple[Path | str, ...]


class Layout(Config):
    """How pairs are written."""

    @abstractmethod
    def pairs(self, files: Files) -> Iterator[TextPair]:
        """One pair per line of ``files``.

        Raises:
            InputError: a line that is not as it should be; the message names file and line.
        """


class Parallel(Layout):
    """One file per language, line by line; files after the second are further references."""

    def pairs(self, files: Files) -> Iterator[TextPair]:
        """One pair per line."""
        if len(files) < 2:
            raise InputError(f"parallel text needs two files or more, got {len(files)}")
        for source, *references in zip_lines(files):
            texts = [line.text for line in references]
            yield build_pair(source.text, texts, None, source.place)


def one_file(files: Files) -> Path | str:
    """The one file of a layout that takes one.

    Raises:
        InputError: more files, or none.
    """
    if len(files) != 1:
        raise InputError(f"columns and JSON lines need one file, got {len(files)}")
    return files[0]


def build_pair(source: str, references: list[str], links: Links | None, place: Place) -> TextPair:
    """The pair of one line: cleaned, without blank references, its links check_links.

    Raises:
        InputError: a link beyond the last word.
    """
    source = cleaned(source)
    texts = [cleaned(text) for text in references]
    if links is not None and source and texts and texts[0]:
        links = check_links(links, source, texts[0], place)
    else:
        links = None
    return TextPair(source, tuple([text for text in texts if text]), links, place)


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
