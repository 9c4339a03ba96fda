"""SQuAD: passages with questions, in one JSON document or a JSON object a line.

The document is version 1.1 (Rajpurkar et al. 2016, https://arxiv.org/abs/1606.05250)::

    {"data": [{"title": …, "paragraphs": [{"context": …, "qas": [
        {"id": …, "question": …, "answers": [{"text": …, "answer_start": 515}, …]}, …]}, …]}, …]}

A line may hold one passage, ``{"context": …, "qas": […]}``, whose answers may also be two lists,
``"answers"`` of text and ``"starts"`` of characters; ``source`` then says what it is measured with.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regard.errors import InputError
from regard.json_text import parsed

from ..pairs.json_lines import MAX_JSON_BYTES
from ..pairs.lines import Place, lines, name_of
from .checks import checked, list_of, text_of
from .question import Answer, Question


def read_document(path: Path | str) -> Iterator[Question]:
    """The questions of a document.

    Raises:
        InputError: bad data, named by file and line.
    """
    text = "\n".join(line.text for line in lines(path, longest=MAX_JSON_BYTES))
    first = Place(name_of(path), 1)
    try:
        value = parsed(text)
    except ValueError as error:
        where = first._replace(line=getattr(error, "lineno", 1))
        raise InputError(f"{where}: needs a JSON document as SQuAD's, {error}") from None
    for article in list_of(value, "data", first):
        for passage in list_of(article, "paragraphs", first):
            for one in list_of(passage, "qas", first):
                place = _place_of(one, text, first)
                yield question_of(passage, one, place, group=_group(value))


def question_of(passage: Any, one: Any, place: Place, *, group: str = "") -> Question:
    """A question of a passage, both as JSON.

    Raises:
        InputError: a field is missing, is something else, or is blank.
    """
    return checked(
        Question(
            passage=text_of(passage, "context", place),
            question=text_of(one, "question", place),
            answers=tuple(_answers(one, place)),
            group=group,
            id=str(one.get("id", "")),
            place=place,
        )
    )


def _answers(one: Any, place: Place) -> Iterator[Answer]:
    found = list_of(one, "answers", place)
    starts = one.get("starts")
    if starts is not None:
        if not isinstance(starts, list) or len(starts) != len(found):
            raise InputError(f"{place}: needs as many starts as answers, {len(found)}")
        found = [
            {"text": text, "answer_start": start} for text, start in zip(found, starts, strict=True)
        ]
    for answer in found:
        start = answer.get("answer_start") if isinstance(answer, dict) else None
        if start is not None and (type(start) is not int or start < 0):
            raise InputError(f"{place}: needs a whole number as answer_start, got {start!r:.40}")
        text = answer if isinstance(answer, str) else text_of(answer, "text", place)
        yield Answer(text, start)


def _place_of(one: Any, text: str, first: Place) -> Place:
    """The line in which the id of a question stands; the first where it has none."""
    name = one.get("id") if isinstance(one, dict) else None
    at = text.find(json.dumps(name)) if isinstance(name, str) else -1
    return first if at < 0 else first._replace(line=1 + text.count("\n", 0, at))


def _group(value: Any) -> str:
    return str(value.get("source", "")) if isinstance(value, dict) else ""
