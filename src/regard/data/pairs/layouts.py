"""How pairs stand in files: columns, parallel files, JSON lines.

Every layout yields one pair per line, blank ones too, so that line numbers of files that belong
zip_lines agree.
"""

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path

from regard.config import Config
from regard.errors import InputError

from .lines import zip_lines
from .links import check_links
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
