"""Where sentences end, in English and in much else."""

import re
from collections.abc import Iterator

from regard.data.vocabulary import Span

TITLES = frozenset(
    ["mr", "mrs", "ms", "dr", "prof", "st", "mme", "mlle", "gen", "sen", "rev", "capt", "lt", "col"]
)
"""Abbreviations before a name."""
NEVER_LAST = TITLES | frozenset(["vs", "e.g", "i.e", "approx", "fig", "cf", "no", "vol", "pp"])
"""Abbreviations that no sentence ends with."""

_END = re.compile(
    r"""
    (?P<mark>[.!?\u2026]+|[\u3002\uff01\uff1f]+)   # what ends a sentence
    (?P<close>["'\u201d\u2019\u00bb)\]]*)          # and what closes with it
    (?=\s|$)
    """,
    re.VERBOSE,
)
_INITIAL = re.compile(r"(?:^|[\s.(])[^\W\d_]$")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]$")
"""Such as U.S or a.m, before the last period."""


def sentence_spans(text: str) -> Iterator[Span]:
    """Where the sentences of a text stand, without space around them.

    A period ends none behind an initial, a title and such, nor do several before lower case.
    """
    start = 0
    for found in _END.finditer(text):
        if not _ends(text, found):
            continue
        yield from _bare(text, start, found.end())
        start = found.end()
    yield from _bare(text, start, len(text))


def _bare(text: str, start: int, end: int) -> Iterator[Span]:
    part = text[start:end]
    if part.strip():
        yield start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _ends(text: str, found: re.Match[str]) -> bool:
    rest = text[found.end() :].lstrip()
    if not rest:
        return True
    begins = rest.lstrip("\"'\u201c\u2018\u00ab([-\u2013\u2014\u00bf\u00a1 ")[:1]
    mark = found["mark"]
    if begins.islower():
        return mark[-1] in "!?"
    if mark != ".":
        return True
    before = text[: found.start()]
    word = before.split()[-1].lstrip("\"'\u201c\u2018\u00ab([").lower() if before.split() else ""
    if word in NEVER_LAST:
        return False
    if _DOTTED.search(word):
        return word in HOURS or rest.split()[0] in STARTS
    return word == "i" or not _INITIAL.search(before)


HOURS = frozenset(["a.m", "p.m"])
STARTS = frozenset(["I", "We", "You", "He", "She", "It", "They", "The", "This", "That"])
"""What begins a sentence, and is no name behind dotted letters."""
