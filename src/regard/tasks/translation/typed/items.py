"""Spans that are no words (addresses, emoji, codes, numbers, times), names, ends of sentences."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from regard.data.vocabulary import Span, Tokeniser

from .days import AGE, DATE, MONTHS, WEEKDAYS

TITLES = frozenset(
    ["mr", "mrs", "ms", "dr", "prof", "st", "mme", "mlle", "gen", "sen", "rev", "capt", "lt", "col"]
)
"""Abbreviations before a name."""
NEVER_LAST = TITLES | frozenset(["vs", "e.g", "i.e", "approx", "fig", "cf", "no", "vol", "pp"])
"""Abbreviations that no sentence ends with."""

NO_NAMES = frozenset([*MONTHS, *WEEKDAYS, "merry", "happy", "christmas", "pardon"])
"""What has a capital and is none."""

_END = re.compile(
    r"""
    (?P<apart>(?<=\w):(?=\s)|(?<=\s)[-\u2013\u2014](?=\s))   # what stands between two
    | (?P<mark>[.!?\u2026]+|[\u3002\uff01\uff1f]+)   # what ends a sentence
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
        yield from _bare(text, start, found.start() if found["apart"] else found.end())
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
    if mark is None:
        return any(map(str.isalpha, rest))
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


Kind = Literal["address", "emoji", "quoted", "code", "date", "age", "time", "number", "name"]
COPIED: frozenset[Kind] = frozenset(["address", "emoji", "quoted", "code"])
"""What no translation may change."""

_ENDS = "com|org|net|edu|gov|info|io|ai|fr|de|uk|eu|ca|ch|be|html?|txt|pdf|py|js|zip|csv|jpe?g|png"
_EMOJI = (
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2190-\u21ff\u2122\u00a9\u00ae]"
    "[\ufe0f\u200d\u20e3\U0001f3fb-\U0001f3ff]*"
)
_ITEMS = re.compile(
    rf"""
    (?P<address>(?:https?://|www\.)[^\s<>"]*[^\s<>".,;:!?')\]]
        | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
        | (?<![\w&])[@\#][^\W\d]\w*
        | \b[\w-]+(?:[./][\w-]+)*\.(?:{_ENDS})\b(?:/[^\s<>"]*[^\s<>".,;:!?')\]])?)
    | (?P<emoji>(?:{_EMOJI})+(?:\s?(?:{_EMOJI})+)*
        | (?<!\S)(?:[:;=8][-o*']?[)\](\[dDpP/\\|*]|<3|lol|omg|xd|(?:ha){{2,}})(?!\S))
    | (?P<date>{DATE})
    | (?P<age>{AGE})
    | (?P<time>\b\d{{1,2}}(?::\d{{2}}(?:\s?[ap](?:m\b|\.m\.))?|\s?[ap](?:m\b|\.m\.)))
    | (?P<quoted>(?<=\s)(?:"\w+"|\u201c\w+\u201d)(?=[\s.,;:?!]|$))
    | (?P<code>\+\d[\d\s().-]{{5,}}\d | \(?\b\d{{2,}}\)?(?:[\s.-]\d{{2,}}){{2,}}\b
        | \b\d{{3}}-\d{{3,}}\b
        | \b(?=[\w-]*\d)(?=[\w-]*[^\W\d_])(?!\d+(?:st|nd|rd|th|e|er|s|am|pm)\b)\w+(?:-\w+)*)
    | (?P<number>\b\d+(?:[.,]\d+)*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:(?:['\u2019](?=[A-Z])|-)[^\W\d_]+)*")
_BETWEEN = re.compile(r"\s(?:(?:de|da|di|du|del|van|von|der|el|bin|al)\s)?")


class Item(NamedTuple):
    """Something that stands for itself."""

    span: Span
    kind: Kind


def items(text: str) -> Iterator[Item]:
    """What is no word, in order."""
    for found in _ITEMS.finditer(text):
        kind: Kind = found.lastgroup  # type: ignore[assignment]
        yield Item(found.span(), kind)


def names(text: str, tokeniser: Tokeniser, taken: list[Item]) -> Iterator[Item]:
    """Words with a capital that the vocabulary has to spell, with the names beside them.

    Args:
        text: a sentence.
        tokeniser: which has a number for what is known.
        taken: where something else stands.
    """
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        if _overlaps(word.span(), taken):
            continue
        if run and not (_is_capital(word[0]) and _follow(text, run[-1], word)):
            yield from _name(text, run, tokeniser)
            run = []
        if run or _is_capital(word[0]):
            run.append(word)
    yield from _name(text, run, tokeniser)


def _follow(text: str, before: re.Match[str], word: re.Match[str]) -> bool:
    between = text[before.end() : word.start()]
    if before[0].lower() in TITLES or len(before[0]) == 1:
        between = between.removeprefix(".")
    return _BETWEEN.fullmatch(between) is not None


def _name(text: str, run: list[re.Match[str]], tokeniser: Tokeniser) -> Iterator[Item]:
    if run and run[0].start() == _first_letter(text):
        run = run if run[0][0].lower() in TITLES or _unknown(run[0][0], tokeniser) else run[1:]
    titled = len(run) > 1 and run[0][0].lower() in TITLES
    if run and (titled or any(_unknown(word[0], tokeniser) for word in run)):
        yield Item((run[0].start(), run[-1].end()), "name")


def spelled(word: str, tokeniser: Tokeniser) -> bool:
    """Whether a vocabulary has no token for it."""
    ids = tokeniser.encode(word)
    return len(ids) > 1 or tokeniser.unk in ids


def _unknown(word: str, tokeniser: Tokeniser) -> bool:
    """Whether the vocabulary has to spell it, with a capital and without."""
    if word.lower() in NO_NAMES:
        return False
    return spelled(word, tokeniser) and spelled(word.lower(), tokeniser)


def _is_capital(word: str) -> bool:
    return (len(word) > 1 and word[0].isupper()) or word.lower() in TITLES


def _first_letter(text: str) -> int:
    return next((place for place, letter in enumerate(text) if letter.isalpha()), 0)


def _overlaps(span: Span, taken: list[Item]) -> bool:
    return any(one.span[0] < span[1] and span[0] < one.span[1] for one in taken)
