"""Pairs as JSON objects, one per line."""

import json
from collections.abc import Iterator
from typing import Any

from regard.errors import InputError

from .layouts import Files, Layout, build_pair, one_file
from .lines import Line, lines
from .links import parse_links
from .pair import Links, Place, TextPair


class JsonLines(Layout):
    """One JSON object per line; fields that are not named here are ignored."""

    source: str = "source"
    """Field of the source."""
    target: str = "target"
    """Field of the translation, or of a list of translations."""
    alignment: str = "alignment"
    """Field of links, ``"0-0 1-2"`` or ``[[0, 0], [1, 2]]``; may be missing or null."""

    def pairs(self, files: Files) -> Iterator[TextPair]:
        """One pair per line."""
        for line in lines(one_file(files)):
            yield self._pair(line) if line.text.strip() else build_pair("", [], None, line.place)

    def _pair(self, line: Line) -> TextPair:
        record = _object(line)
        source = self._text(record.get(self.source), self.source, line.place)
        targets = record.get(self.target)
        listed = targets if isinstance(targets, list) else [targets]
        references = [self._text(text, self.target, line.place) for text in listed]
        return build_pair(
            source, references, _links(record.get(self.alignment), line.place), line.place
        )

    def _text(self, value: object, field: str, place: Place) -> str:
        if not isinstance(value, str):
            came = "nothing" if value is None else type(value).__name__
            raise InputError(f"{place}: needs text in the field {field!r}, got {came}")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise InputError(f"{place}: half a character (a lone surrogate) in the field {field!r}")
        return value


def _object(line: Line) -> dict[str, Any]:
    try:
        record = json.loads(line.text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{line.place}: needs a JSON object, {error.msg} at column {error.colno}"
        ) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"{line.place}: needs a JSON object, {error}") from None
    if not isinstance(record, dict):
        raise InputError(f"{line.place}: needs a JSON object, got {type(record).__name__}")
    return record


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
