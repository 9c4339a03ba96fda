"""Questions of one's own: passage, question and answer in columns, or in fields of JSON."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from regard.errors import InputError

from ..pairs.lines import Place, objects, quoted, tabbed
from .checks import checked, list_of, text_of
from .question import Answer, Question
from .squad import question_of

Column = int | str
"""Counted from 1, or by its name in the header or in JSON."""
NAMES = ("passage", "question", "answer")
BETWEEN = "|||"
"""Stands between several answers in one cell."""


def read_columns(path: Path | str, columns: Sequence[Column] = ()) -> Iterator[Question]:
    """The questions of a file with columns: between commas in ``*.csv``, else between tabs.

    Args:
        path: the file.
        columns: of passage, question and answer; 1, 2 and 3, or those of these names in the header,
            if not given.

    Raises:
        InputError: bad data, named by file and line.
    """
    is_csv = str(path).lower().removesuffix(".gz").endswith(".csv")
    chosen: list[int] | None = None
    for place, cells in quoted(path) if is_csv else tabbed(path):
        if not any(cell.strip() for cell in cells):
            continue
        if chosen is None:
            chosen, is_header = _chosen(columns, [cell.strip() for cell in cells], place)
            if is_header:
                continue
        if len(cells) <= max(chosen):
            raise InputError(
                f"{place}: needs passage, question and answer in {max(chosen) + 1} columns, got "
                f"{len(cells)}"
            )
        passage, question, answer = (cells[number].strip() for number in chosen)
        answers = tuple(Answer(text.strip()) for text in answer.split(BETWEEN))
        yield checked(Question(passage, question, answers, id=str(place), place=place))


def read_objects(path: Path | str, columns: Sequence[Column] = ()) -> Iterator[Question]:
    """The questions of a file with a JSON object a line: a question each, or a passage with some.

    Args:
        path: the file.
        columns: the fields of passage, question and answer; with these names if not given, or
            ``context`` and ``answers``.

    Raises:
        InputError: bad data, named by file and line.
    """
    for place, value in objects(path):
        if not isinstance(value, dict):
            raise InputError(f"{place}: needs a JSON object, got {type(value).__name__}")
        if "qas" in value:
            for one in list_of(value, "qas", place):
                yield question_of(value, one, place, group=str(value.get("source", "")))
        else:
            yield _single(value, columns, place)


def _single(value: dict[str, Any], columns: Sequence[Column], place: Place) -> Question:
    passage, question, answer = map(str, columns or NAMES)
    if not columns:
        passage = passage if passage in value else "context"
        answer = answer if answer in value else "answers"
    found = value.get(answer)
    texts = found if isinstance(found, list) else [found]
    start = value.get("start")
    return checked(
        Question(
            passage=text_of(value, passage, place),
            question=text_of(value, question, place),
            answers=tuple(
                Answer(
                    text_of({answer: text}, answer, place), start if type(start) is int else None
                )
                for text in texts
            ),
            id=str(value.get("id", place)),
            place=place,
        )
    )


def _chosen(columns: Sequence[Column], first: list[str], place: Place) -> tuple[list[int], bool]:
    """Which columns, counted from 0, and whether the first line is a header."""
    if not columns:
        lowered = [cell.lower() for cell in first]
        named = set(NAMES) <= set(lowered)
        return ([lowered.index(name) for name in NAMES] if named else [0, 1, 2]), named
    unknown = [one for one in columns if isinstance(one, str) and one not in first]
    if unknown:
        raise InputError(f"{place}: needs a header with {unknown[0]!r}, got {', '.join(first)}")
    numbers = [one - 1 if isinstance(one, int) else first.index(one) for one in columns]
    return numbers, any(isinstance(one, str) for one in columns)
