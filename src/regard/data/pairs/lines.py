"""Lines of text from a file, a gzip file or stdin, one in memory at a time; pairs out of them."""

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast
from unicodedata import category, normalize

from regard.errors import InputError
from regard.json_text import parsed

Links = frozenset[tuple[int, int]]
"""Source and target words that belong together, counted from 0."""


class Place(NamedTuple):
    """A line of a file, for messages."""

    file: str
    line: int
    """Counted from 1."""

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


class TextPair(NamedTuple):
    """A sentence and its translations as running text."""

    source: str
    references: tuple[str, ...]
    """Translations, the best or only one first."""
    alignment: Links | None
    """Links between the words of the source and of the first reference, split at spaces unless
    whoever read them split otherwise; ``None`` without gold."""
    place: Place

    @property
    def target(self) -> str:
        """The first reference."""
        return self.references[0]


def cleaned(text: str) -> str:
    """``text`` in composed form (NFC), without space around it."""
    return composed(text).strip()


MAX_LINE_BYTES = 10 * 2**20
"""A longer line is no sentence but a file without line ends."""

STANDARD_INPUT = "-"

_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line without its end."""

    place: Place
    text: str


def lines(path: Path | str, *, longest: int | None = None) -> Iterator[Line]:
    """The lines of a UTF-8 file, which may be compressed; ``"-"`` is the standard input.

    Lines end with LF or CRLF; a byte order mark at the start is left out. Gzip is known by its
    first bytes, whatever the name.

    Raises:
        InputError: a file that cannot be opened, is empty or damaged, a line that is no UTF-8 or
            longer than ``longest`` bytes (``MAX_LINE_BYTES`` if not given); the message names file
            and line.
    """
    name = name_of(path)
    longest = longest or MAX_LINE_BYTES
    number = 0
    with _open(path) as file:
        while raw := _read_line(file, Place(name, number + 1), longest):
            number += 1
            place = Place(name, number)
            if number == 1:
                raw = raw.removeprefix(_BYTE_ORDER_MARK)
            yield Line(place, _decode(raw.removesuffix(b"\n").removesuffix(b"\r"), place))
    if number == 0:
        raise InputError(f"{name}, line 1: needs at least one line, the file is empty")


def zip_lines(paths: tuple[Path | str, ...]) -> Iterator[tuple[Line, ...]]:
    """The lines of parallel files, number by number.

    Raises:
        InputError: one file ends before another.
    """
    readers = [lines(path) for path in paths]
    while True:
        row = [next(reader, None) for reader in readers]
        if all(line is None for line in row):
            return
        for path, line in zip(paths, row, strict=True):
            if line is None:
                _raise_at_the_end(name_of(path), row)
        yield tuple(cast(list[Line], row))


def name_of(path: Path | str) -> str:
    """What a file is called in messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def _raise_at_the_end(name: str, row: list[Line | None]) -> None:
    longer = next(line for line in row if line is not None)
    raise InputError(
        f"{name}, line {longer.place.line}: needs as many lines as {longer.place.file}, but ends "
        f"after line {longer.place.line - 1}; the two files must match line by line"
    )


@contextmanager
def _open(path: Path | str) -> Iterator[io.BufferedReader]:
    """The bytes behind ``path``, unpacked."""
    if str(path) == STANDARD_INPUT:
        yield _unpack(cast(io.BufferedReader, sys.stdin.buffer))
        return
    with _file(Path(path)) as file:
        yield _unpack(file)


def _file(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read, {error.strerror or error}") from None


def _unpack(file: io.BufferedReader) -> io.BufferedReader:
    if file.peek(2)[:2] == _GZIP:
        return io.BufferedReader(gzip.GzipFile(fileobj=file))
    return file


def _read_line(file: io.BufferedReader, place: Place, longest: int) -> bytes:
    """The next line with its end; nothing at the end of the file."""
    try:
        raw = file.readline(longest + 3)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{place}: the file is damaged or cannot be read, {reason}") from None
    if len(raw.rstrip(b"\r\n")) > longest:
        raise InputError(
            f"{place}: needs lines of at most {longest:,} bytes, this one is longer; "
            "break it into sentences"
        )
    return raw


def _decode(raw: bytes, place: Place) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{place}: needs UTF-8, got byte 0x{raw[error.start]:02x} at byte {error.start + 1}; "
            "save the file as UTF-8"
        ) from None


def tabbed(path: Path | str) -> Iterator[tuple[Place, list[str]]]:
    """The cells of every line, with tabs between them."""
    return ((line.place, line.text.split("\t")) for line in lines(path))


def quoted(path: Path | str, separator: str = ",") -> Iterator[tuple[Place, list[str]]]:
    """The cells of every record, quoted where needed (CSV, RFC 4180).

    Args:
        path: the file; ``"-"`` is the standard input.
        separator: what stands between two cells.

    Raises:
        InputError: a quote that is not closed.
    """
    text = (f"{line.text}\n" for line in lines(path))
    reader = csv.reader(text, delimiter=separator, strict=True)
    while True:
        place = Place(name_of(path), reader.line_num + 1)
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{place}: needs CSV with closed quotes, {error}") from None
        if cells is None:
            return
        yield place, cells


def objects(path: Path | str) -> Iterator[tuple[Place, Any]]:
    """The JSON of every line that is not blank.

    Raises:
        InputError: a line that is no JSON.
    """
    for line in lines(path):
        if not line.text.strip():
            continue
        try:
            value = parsed(line.text)
        except ValueError as error:
            raise InputError(f"{line.place}: needs a JSON object, {error}") from None
        yield line.place, value


PIECE = 256
"""Characters that are composed at once: to put n marks of one letter in order takes n² steps."""


def composed(text: str) -> str:
    """``text`` in composed form (NFC).

    Differs from the standard where more than 256 marks follow each other: they are put in order
    piece by piece (as its stream-safe form, UAX 15, section 13, does after 30).
    """
    return "".join(normalize("NFC", piece) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Parts of ``text`` in a row; marks and vowels of Hangul stay with what they join, if it is
    less than a part away.
    """
    start = 0
    while len(text) - start > PIECE:
        last = start + PIECE
        begins = (
            place
            for place in range(last, start, -1)
            if category(text[place])[0] != "M" and not "\u1160" <= text[place] <= "\u11ff"
        )
        end = next(begins, last)
        yield text[start:end]
        start = end
    yield text[start:]
