"""Texts with a label: ``label TAB text``, CSV, TSV or JSON with named columns."""

from collections.abc import Iterator
from pathlib import Path

from regard.errors import InputError

from ..pairs.lines import Place, name_of, objects, quoted, tabbed
from .example import Example

Column = int | str
"""Counted from 1, or by its name in the header or in JSON."""
NAMES = ("label", "text")


def read_labelled(
    path: Path | str, *, columns: tuple[Column, Column] | None = None
) -> Iterator[Example]:
    """The texts of a file, plain or gzip, one in memory at a time.

    Args:
        path: the file; ``"-"`` is the standard input. ``*.csv`` has columns separated by commas,
            ``*.jsonl`` an object per line, anything else columns separated by tabs.
        columns: of label and text; names are those of the header or of JSON fields. Without them
            1 and 2, or ``label`` and ``text`` in JSON and below a header with these names.

    Raises:
        InputError: bad data, named by file and line, or not one text.
    """
    name = str(path).lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        rows = _objects(path, columns)
    else:
        rows = _columns(path, columns, "," if name.endswith(".csv") else "\t")
    number = 0
    for place, label, text in rows:
        label, text = " ".join(label.split()), " ".join(text.split())
        if not label or not text:
            what = "a label before its text" if not label else f"a text of the label {label!r}"
            raise InputError(f"{place}: needs {what}, got none")
        number += 1
        yield Example(text, (label,), None, place)
    if not number:
        raise InputError(f"{name_of(path)}: needs at least one text with its label, got none")


def _columns(
    path: Path | str, columns: tuple[Column, Column] | None, separator: str
) -> Iterator[tuple[Place, str, str]]:
    chosen: tuple[int, int] | None = None
    for place, cells in quoted(path) if separator == "," else tabbed(path):
        if not any(cell.strip() for cell in cells):
            continue
        if chosen is None:
            chosen, is_header = _chosen(columns, [cell.strip() for cell in cells], place)
            if is_header:
                continue
        if max(chosen) >= len(cells):
            what = "tabs" if separator == "\t" else "commas"
            raise InputError(
                f"{place}: needs label and text in {max(chosen) + 1} columns separated by {what}, "
                f"got {len(cells)}"
            )
        yield place, cells[chosen[0]], cells[chosen[1]]


def _chosen(
    columns: tuple[Column, Column] | None, first: list[str], place: Place
) -> tuple[tuple[int, int], bool]:
    """Which columns, counted from 0, and whether the first line is a header."""
    if columns is None:
        named = set(NAMES) <= {cell.lower() for cell in first}
        if not named:
            return (0, 1), False
        lowered = [cell.lower() for cell in first]
        return (lowered.index(NAMES[0]), lowered.index(NAMES[1])), True
    numbers = [_column(column, first, place) for column in columns]
    return (numbers[0], numbers[1]), any(isinstance(column, str) for column in columns)


def _column(column: Column, header: list[str], place: Place) -> int:
    if isinstance(column, int):
        return column - 1
    if column not in header:
        raise InputError(f"{place}: needs a header with {column!r}, got {', '.join(header)}")
    return header.index(column)


def _objects(
    path: Path | str, columns: tuple[Column, Column] | None
) -> Iterator[tuple[Place, str, str]]:
    names = NAMES if columns is None else columns
    for place, value in objects(path):
        label, text = (value.get(name) if isinstance(value, dict) else None for name in names)
        if not isinstance(text, str) or not isinstance(label, str | int):
            there = ", ".join(value) if isinstance(value, dict) else type(value).__name__
            raise InputError(
                f"{place}: needs a label in the field {names[0]!r} and text in {names[1]!r}, "
                f"got {there}"
            )
        yield place, str(label), text
