"""Pairs as test sets are written: a tab between source and translation, or bars."""

from collections.abc import Iterator

from regard.data.pairs import Layout, TextPair
from regard.data.pairs.layouts import Files, build_pair, one_file
from regard.data.pairs.lines import Line, lines
from regard.errors import InputError

BARS = "|||"


class TabsOrBars(Layout):
    """``source TAB target``, or ``source ||| target`` as statistical aligners read it."""

    def pairs(self, files: Files) -> Iterator[TextPair]:
        """One pair per line."""
        for line in lines(one_file(files)):
            yield _pair(line)


def _pair(line: Line) -> TextPair:
    text = line.text
    if not text.strip():
        return build_pair("", [], None, line.place)
    cells = text.split("\t") if "\t" in text else text.split(BARS)
    if len(cells) < 2:
        raise InputError(
            f"{line.place}: needs source and translation separated by a tab or by {BARS}, got one "
            "text"
        )
    return build_pair(cells[0], cells[1:2], None, line.place)
