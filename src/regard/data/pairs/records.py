"""Lines of a file as cells, or as JSON objects; what is neither is named by file and line."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regard.errors import InputError

from .lines import Place, lines, name_of


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
            value = json.loads(line.text)
        except ValueError as error:
            raise InputError(f"{line.place}: needs a JSON object, {error}") from None
        yield line.place, value
