"""Questions from a file, whichever of the usual forms it has."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, get_args

from regard.errors import InputError

from ..pairs.lines import name_of
from .babi import read_stories
from .columns import Column, read_columns, read_objects
from .question import Question
from .squad import read_document

Layout = Literal["squad", "jsonl", "stories", "columns"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)


def read_questions(
    path: Path | str, *, layout: Layout | None = None, columns: Sequence[Column] = ()
) -> Iterator[Question]:
    """The questions of a file, plain or gzip, or of the standard input.

    Args:
        path: the file; ``"-"`` is the standard input.
        layout: how it is written. Without it ``*.json`` is a document as SQuAD's, ``*.jsonl`` has
            an object per line, ``*.tsv`` and ``*.csv`` have columns, and anything else is a story
            as bAbI's.
        columns: of passage, question and answer, where there are columns or fields.

    Raises:
        InputError: bad data, named by file and line, or not one question.
    """
    chosen = layout or guess_layout(path)
    if columns and len(columns) != 3:
        raise InputError(
            f"columns need to be those of passage, question and answer, got {len(columns)}"
        )
    if chosen == "squad":
        found = read_document(path)
    elif chosen == "jsonl":
        found = read_objects(path, columns)
    else:
        found = read_columns(path, columns) if chosen == "columns" else read_stories(path)
    number = 0
    for one in found:
        number += 1
        yield one
    if not number:
        raise InputError(f"{name_of(path)}: needs at least one question, got none")


def guess_layout(path: Path | str) -> Layout:
    """What the name of a file says about it."""
    name = str(path).lower().removesuffix(".gz")
    if name.endswith(".json"):
        return "squad"
    if name.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    return "columns" if name.endswith((".tsv", ".csv")) else "stories"
