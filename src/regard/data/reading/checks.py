"""What every reader of questions refuses, by file and line."""

from typing import Any

from regard.errors import InputError

from ..pairs.lines import Place
from .question import Question


def checked(one: Question) -> Question:
    """The question, if there is something to ask, and something to ask about.

    Raises:
        InputError: the question or the passage is blank, or an answer is.
    """
    for what, text in (("a passage", one.passage), ("a question", one.question)):
        if not text.strip():
            raise InputError(f"{one.place}: needs {what}, got none")
    if not one.answers:
        raise InputError(
            f"{one.place}: needs an answer to {one.question!r:.80}, got none; questions without "
            "an answer are not learned, leave them out"
        )
    if not all(answer.text.strip() for answer in one.answers):
        raise InputError(f"{one.place}: needs words in every answer to {one.question!r:.80}")
    return one


def text_of(value: Any, field: str, place: Place) -> str:
    """The text in a field of a JSON object.

    Raises:
        InputError: it is something else, or has half a character.
    """
    found = value.get(field) if isinstance(value, dict) else None
    if not isinstance(found, str):
        there = ", ".join(map(str, value)) if isinstance(value, dict) else type(value).__name__
        raise InputError(f"{place}: needs text in the field {field!r}, got {there or 'nothing'}")
    if any("\ud800" <= character <= "\udfff" for character in found):
        raise InputError(f"{place}: half a character (a lone surrogate) in the field {field!r}")
    return found


def list_of(value: Any, field: str, place: Place) -> list[Any]:
    """The list in a field of a JSON object.

    Raises:
        InputError: it is something else.
    """
    found = value.get(field) if isinstance(value, dict) else None
    if not isinstance(found, list):
        raise InputError(
            f"{place}: needs a list in the field {field!r}, got {type(found).__name__}"
        )
    return found
