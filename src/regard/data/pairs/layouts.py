"""How pairs stand in files: columns, parallel files, JSON lines.

Every layout yields one pair per line, blank ones too, so that line numbers of files that belong
zip_lines agree.
"""

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path

from regard.config import Config
from regard.errors import InputError

from .lines import Line, lines, zip_lines
from .links import check_links, parse_links
from .pair import Links, Place, TextPair, cleaned

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


class Columns(Layout):
    """Columns separated by tabs (TSV), counted from 0; others are ignored."""

    source: int = 0
    """Column of the source."""
    references: tuple[int, ...] = (1,)
    """Columns of the translations."""
    alignment: int | None = None
    """Column of links such as ``0-0 1-2``; may be missing or blank in a line."""

    def pairs(self, files: Files) -> Iterator[TextPair]:
        """One pair per line."""
        for line in lines(one_file(files)):
            yield self._pair(line)

    def _pair(self, line: Line) -> TextPair:
        cells = line.text.split("\t")
        if not line.text.strip():
            return build_pair("", [], None, line.place)
        needed = max(self.source, *self.references) + 1
        if len(cells) < needed:
            raise InputError(
                f"{line.place}: needs {needed} columns separated by tabs, got {len(cells)}"
            )
        column = self.alignment
        links = (
            parse_links(cells[column], line.place)
            if column is not None and column < len(cells)
            else None
        )
        return build_pair(
            cells[self.source], [cells[i] for i in self.references], links, line.place
        )


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
