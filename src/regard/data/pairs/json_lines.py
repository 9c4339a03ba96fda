"""Pairs as JSON: an object per line, or one array of objects."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from regard.errors import InputError
from regard.json_text import parsed

from .layouts import Files, Layout, build_pair, one_file, parse_links
from .lines import Line, Links, Place, TextPair, lines

MAX_JSON_BYTES = 2**28
"""Of one line: arrays are often written without line ends."""

NESTED = "translation"
"""Where Hugging Face's data sets hold the languages: ``{"translation": {"en": …, "fr": …}}``."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


class JsonLines(Layout):
    """One JSON object per line, or an array of them; fields not named here are ignored.

    Fields may also lie in an object called ``translation``, as in Hugging Face's data sets.
    """

    source: str = "source"
    """Field of the source."""
    target: str = "target"
    """Field of the translation, or of a list of translations."""
    alignment: str = "alignment"
    """Field of links, ``"0-0 1-2"`` or ``[[0, 0], [1, 2]]``; may be missing or null."""

    def pairs(self, files: Files) -> Iterator[TextPair]:
        """One pair per line, or per element of the array."""
        every = lines(one_file(files), longest=MAX_JSON_BYTES)
        first = next(every)
        if first.text.lstrip().startswith("["):
            for place, value in _elements(first, every):
                yield self._pair(value, place)
            return
        for place, text in chain([first], every):
            if not text.strip():
                yield build_pair("", [], None, place)
                continue
            with _naming(place):
                value = parsed(text)
            yield self._pair(value, place)

    def _pair(self, value: object, place: Place) -> TextPair:
        if not isinstance(value, dict):
            raise InputError(f"{place}: needs a JSON object, got {type(value).__name__}")
        nested = value.get(NESTED)
        record = {**value, **nested} if isinstance(nested, dict) else value
        source = _text(record, self.source, record.get(self.source), place)
        targets = record.get(self.target)
        listed = targets if isinstance(targets, list) else [targets]
        references = [_text(record, self.target, text, place) for text in listed]
        return build_pair(source, references, _links(record.get(self.alignment), place), place)


def _text(record: dict[str, Any], field: str, value: object, place: Place) -> str:
    """``value``, which was found in ``field`` of ``record``, if it is text."""
    if not isinstance(value, str):
        came = "nothing" if value is None else type(value).__name__
        there = "" if field in record else f"; there are {', '.join(map(str, record)) or 'none'}"
        raise InputError(f"{place}: needs text in the field {field!r}, got {came}{there}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(f"{place}: half a character (a lone surrogate) in the field {field!r}")
    return value


def _elements(first: Line, rest: Iterator[Line]) -> Iterator[tuple[Place, object]]:
    """The elements of an array with the lines they start on; the array is read whole."""
    text = "\n".join([first.text, *(line.text for line in rest)])
    place, counted = first.place, 0
    at = _skip_space(text, text.index("[") + 1)
    while text[at : at + 1] != "]":
        place = place._replace(line=place.line + text.count("\n", counted, at))
        counted = at
        with _naming(first.place):
            value, at = _DECODER.raw_decode(text, at)
        yield place, value
        at = _skip_space(text, at)
        if text[at : at + 1] == ",":
            at = _skip_space(text, at + 1)
        elif text[at : at + 1] != "]":
            raise InputError(f"{place}: needs a comma or a bracket after this JSON object")
    if text[at + 1 :].strip():
        raise InputError(f"{place}: needs one JSON array, got more after its end")


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


@contextmanager
def _naming(start: Place) -> Iterator[None]:
    """Errors of the JSON parser with file and line; ``start`` is where the text begins."""
    try:
        yield
    except json.JSONDecodeError as error:
        place = start._replace(line=start.line + error.lineno - 1)
        raise InputError(
            f"{place}: needs a JSON object, {error.msg} at column {error.colno}"
        ) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"{start}: needs a JSON object, {error}") from None


def _links(value: object, place: Place) -> Links | None:
    """Links from the text of a file, or from pairs of numbers."""
    if value is None:
        return None
    if isinstance(value, str):
        return parse_links(value, place)
    if isinstance(value, list) and all(_is_link(link) for link in value):
        return frozenset((i, j) for i, j in value) or None
    raise InputError(f'{place}: needs links such as "0-0 1-2" or [[0, 0], [1, 2]]')


def _is_link(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(number) is int and number >= 0 for number in value)
    )
