"""A line cut into sentences and what stands between them."""

import re
from typing import NamedTuple

from regard.data.vocabulary import Span, Tokeniser

from .items import COPIED, Item, items, sentence_spans
from .readings import Reading, readings
from .typing import Typing

QUOTES = {
    '"': '"',
    "'": "'",
    "\u2018": "\u2019",
    "\u201c": "\u201d",
    "\u00ab": "\u00bb",
    "(": ")",
    "[": "]",
}


class Segment(NamedTuple):
    """A stretch of a line: a sentence with its readings, or what is copied, without any."""

    span: Span
    readings: tuple[Reading, ...] = ()

    @property
    def items(self) -> list[Item]:
        """What of the sentence something stands for in some reading."""
        return sorted({one.item for reading in self.readings for one in reading.stand_ins})


class Line(NamedTuple):
    """All of a line, in order."""

    text: str
    segments: tuple[Segment, ...]

    @property
    def texts(self) -> list[str]:
        """All that the model is to read."""
        return [reading.text for segment in self.segments for reading in segment.readings]


def read_line(text: str, tokeniser: Tokeniser, typing: Typing) -> Line:
    """The sentences of a clean line, each with what the model may read for it."""
    spans = list(sentence_spans(text)) if typing.split else [(0, len(text))] * bool(text)
    found: list[Segment] = []
    place = 0
    for span in spans:
        start, end = _core(text, span)
        if not _has_words(text[start:end]):
            continue
        if start > place:
            found.append(Segment((place, start)))
        found.append(Segment((start, end), tuple(readings(text[start:end], tokeniser, typing))))
        place = end
    if place < len(text):
        found.append(Segment((place, len(text))))
    return Line(text, tuple(found))


def _has_words(part: str) -> bool:
    """Whether there is anything but addresses, codes and the like."""
    for item in reversed(list(items(part))):
        if item.kind in COPIED:
            part = part[: item.span[0]] + part[item.span[1] :]
    return any(map(str.isalpha, part))


def _core(text: str, span: Span) -> Span:
    """A sentence without pictures at its ends, and without quotes around all of it."""
    start, end = span
    for item in items(text[start:end]):
        if item.kind == "emoji" and not text[start : span[0] + item.span[0]].strip():
            start = span[0] + item.span[1]
    for item in reversed(list(items(text[start:end]))):
        if item.kind == "emoji" and not text[start + item.span[1] : end].strip():
            end = start + item.span[0]
    start, end = _bare(text, start, end)
    if (
        end - start > 2
        and QUOTES.get(text[start]) == text[end - 1]
        and _plain(text[start + 1 : end - 1])
    ):
        return _bare(text, start + 1, end - 1)
    return start, end


def _plain(inner: str) -> bool:
    inner = re.sub(r"(?<=\w)['\u2019](?=\w)", "", inner)  # an apostrophe
    return not any(mark in inner for mark in (*QUOTES, *QUOTES.values()))


def _bare(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
