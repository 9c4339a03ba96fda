"""Questions about pictures: ``name TAB question TAB answer``, or JSON."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from regard.errors import InputError

from ..pairs.lines import Place, cleaned, lines, name_of
from .json_file import json_of


class AskedPicture(NamedTuple):
    """The name of a picture, a question about it, and its answer."""

    picture: str
    """Its name in a folder or a zip, with or without its end."""
    question: str
    answer: str
    """As :func:`answer_text` writes it."""
    place: Place | None = None


def answer_text(answer: str) -> str:
    """An answer as it is learned and compared: lower case, one space, parts of a list in order.

    >>> answer_text("Pillow,  lamp")
    'lamp, pillow'
    """
    parts = sorted(" ".join(part.split()) for part in cleaned(answer).lower().split(","))
    return ", ".join(part for part in parts if part)


def read_questions(path: Path | str) -> list[AskedPicture]:
    """The questions of a file, plain or gzip.

    Columns are separated by tabs: the name of a picture, a question, its answer; more are left
    alone. ``*.json`` is a list of objects with ``picture``, ``question`` and ``answer``, or of
    lists of question, answer and number of the picture, as the package easy-VQA has them.

    Raises:
        InputError: bad data, named by file and line, or not one question.
    """
    name = str(path).lower().removesuffix(".gz")
    found = list(_entries(path) if name.endswith(".json") else _columns(path))
    if not found:
        raise InputError(f"{name_of(path)}: needs at least one question, got none")
    return found


def _columns(path: Path | str) -> Iterator[AskedPicture]:
    for place, text in lines(path):
        cells = [cleaned(cell) for cell in text.split("\t")]
        if any(cells):
            yield _asked(place, *(cells + [""] * 3)[:3])


def _entries(path: Path | str) -> Iterator[AskedPicture]:
    found, name = json_of(path), name_of(path)
    for number, one in enumerate(found if isinstance(found, list) else [], start=1):
        place = Place(name, number)
        if isinstance(one, list) and len(one) == 3:
            yield _asked(place, str(one[2]), str(one[0]), str(one[1]))
        elif isinstance(one, dict):
            yield _asked(
                place, *[str(one.get(key, "")) for key in ("picture", "question", "answer")]
            )
        else:
            raise InputError(
                f"{name}: needs a list of objects with picture, question and answer, got entry "
                f"{number} of another form"
            )


def _asked(place: Place, picture: str, question: str, answer: str) -> AskedPicture:
    answer = answer_text(answer)
    for what, value in (("a picture", picture), ("a question", question), ("an answer", answer)):
        if not value:
            raise InputError(f"{place}: needs {what}, got none")
    return AskedPicture(picture, question, answer, place)
