"""The best of the answers to a sentence's readings, in terms of what was typed."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from regard.data.vocabulary import Span, word_spans

from ..sample import Translation
from .days import told_as
from .items import COPIED, Item
from .line import Segment
from .readings import FIXED, Reading, StandIn
from .rewriting import Rewriting, rewritten
from .typing import Typing

Answers = Sequence[tuple[Translation, ...]]
"""Of every reading the translations, the best first."""


class Told(NamedTuple):
    """A translation of one reading, and what it becomes for who has typed the sentence."""

    reading: Reading
    translation: Translation
    target: Rewriting


def told(segment: Segment, answers: Answers, typing: Typing) -> list[Told]:
    """The translations of the reading that the model makes most of, the best first."""
    both = list(zip(segment.readings, answers, strict=True))
    bare = [(reading, found) for reading, found in both if not reading.stand_ins]
    reading, found = base = max(bare, key=lambda one: _bare_worth(one[0], one[1], typing))
    sentence, items = reading.rewriting.original, segment.items
    lost = [one for one in items if one.kind in UNSURE or _text(sentence, one) not in found[0].text]
    needed = {one for one in lost if one.kind in COPIED}
    swapped = [
        one
        for one in both
        if _has_all(one[0], one[1][0]) and needed <= {each.item for each in one[0].stand_ins}
    ]
    if lost and swapped:
        top = max(swapped, key=lambda one: _worth(one[0], one[1], typing))
        margin = _margin(sentence, lost, found[0].text, typing)
        if needed or _worth(top[0], top[1], typing) > found[0].log_prob + margin:
            reading, found = top
    whole = [(one, _filled(reading, one)) for one in found]
    return [
        Told(reading, one, target)
        if reading is not base[0]
        else _repaired(reading, one, target, lost)
        for one, target in whole
        if target is not None
    ]


def _margin(sentence: str, lost: list[Item], text: str, typing: Typing) -> float:
    """By how much stand-ins must be better: by nothing where the translation is plainly wrong.

    That is where it has a date or an age, a number of its own or no time of the day. Less is enough
    where it begins to copy a name and does not end, or has no capital for it.
    """
    if any(one.kind in UNSURE for one in lost):
        return -math.inf
    if any(one.kind in FIXED for one in lost) and _strange(sentence, text):
        return -math.inf
    if any(one.kind == "time" for one in lost):
        return 0.0
    words = re.findall(r"\w+", text)
    typed = [_text(sentence, one) for one in lost if one.kind == "name"]
    if sum(word[:1].isupper() for word in words[1:]) < len(typed):
        return typing.margin / 4
    if any(one[:BEGUN] == word[:BEGUN] and len(word) >= BEGUN for one in typed for word in words):
        return typing.margin / 4
    return typing.margin


UNSURE = frozenset(["date", "age"])
"""Items that a model of clean sentences seldom gets right by itself."""
BEGUN = 5
"""Letters of a name after which it is taken for one."""


def _strange(sentence: str, text: str) -> list[re.Match[str]]:
    """Numbers of a translation that are in no number of the sentence."""
    typed = re.findall(r"\d+", sentence)
    return [one for one in re.finditer(r"\d+(?:[.,]\d+)*", text) if one[0] not in typed]


def _text(sentence: str, item: Item) -> str:
    return sentence[slice(*item.span)]


def _has_all(reading: Reading, translation: Translation) -> bool:
    """Whether all that stands for something is in a translation, or all but one name."""
    return bool(reading.stand_ins) and _filled(reading, translation) is not None


def _bare_worth(reading: Reading, found: Sequence[Translation], typing: Typing) -> float:
    """How likely a translation is, by what its reading is worth; less where a quote is lost."""
    text = found[0].text
    opened, closed, plain = (text.count(mark) for mark in '\u00ab\u00bb"')
    whole = opened == closed and 2 * opened + plain == reading.text.count('"')
    merit = reading.merit - (not whole) * (1 + 1 / 3)
    return found[0].log_prob + merit * typing.margin


def _worth(reading: Reading, found: Sequence[Translation], typing: Typing) -> float:
    """How likely a translation is, less something for every stand-in and for a name left out."""
    number = len(reading.stand_ins)
    left_out = number - sum(1 for _ in _found(reading, found[0].text))
    return found[0].log_prob + (reading.merit - (number - 1 + left_out) / 4) * typing.margin


def _filled(reading: Reading, translation: Translation) -> Rewriting | None:
    """A translation with what was typed for the stand-ins; ``None`` if one is not there once.

    A single name that was left out goes behind the word that stands for the one before it. For a
    reading without stand-ins it is the translation, without a mark that was put in.
    """
    text = translation.text
    changes = [change for _, change in _found(reading, text)]
    missing = [
        one for one in reading.stand_ins if one not in {one for one, _ in _found(reading, text)}
    ]
    if missing:
        behind = _behind(reading, translation, missing[0])
        if len(missing) > 1 or len(reading.stand_ins) < 2 or behind is None:
            return None
        changes.append(behind)
    spans = sorted(span for span, _ in changes)
    if any(one[1] > other[0] for one, other in pairwise(spans)):
        return None
    if reading.mark and (end := re.search(r"\s*[.?!\u2026]+$", text)):
        changes.append((end.span(), ""))
    return rewritten(text, changes)


def _found(reading: Reading, text: str) -> Iterator[tuple[StandIn, tuple[Span, str]]]:
    """The stand-ins that a text has once, and what is to be there."""
    for one in reading.stand_ins:
        places = list(_places(reading.rewriting.original, one, text))
        if len(places) == 1:
            yield one, places[0]


def _behind(reading: Reading, translation: Translation, one: StandIn) -> tuple[Span, str] | None:
    """Where a name goes that was left out: *his wife Emma* is *sa femme* and Emma."""
    words = word_spans(reading.text, translation.source_words)
    own = reading.rewriting.overlaps([one.item.span], words)[:, 0].nonzero().flatten().tolist()
    if one.item.kind != "name" or not own or own[0] == 0 or one.text in translation.text:
        return None
    linked = [j for i, j in translation.links if i == own[0] - 1]
    if not linked or not translation.target_words[max(linked)].isalpha():
        return None
    end = word_spans(translation.text, translation.target_words)[max(linked)][1]
    return (end, end), f" {_text(reading.rewriting.original, one.item)}"


def _places(sentence: str, one: StandIn, text: str) -> Iterator[tuple[Span, str]]:
    """Where a stand-in is in a translation, and what is to be there."""
    typed = _text(sentence, one.item)
    if one.item.kind in UNSURE:
        yield from told_as(one.text, typed, text)
        return
    if one.item.kind != "time":
        for found in re.finditer(rf"(?<![\w.,]){re.escape(one.text)}(?!\w|[.,]\d)", text):
            yield found.span(), typed
        return
    hour, minute = one.text.split(":")
    hours = f"{hour}|{int(hour) + 12}"
    pattern = rf"(?<!\d)(?:{hours})(?P<sign>\s?[h:]\s?|\sheures?\s){minute}(?!\d)"
    for found in re.finditer(pattern, text):
        yield found.span(), _time(typed, found["sign"], text[found.end() :])


def _time(typed: str, sign: str, rest: str) -> str:
    """A time of the day as the model writes it: of 24 hours, where it writes ``h``."""
    found = re.match(r"(\d+)(?::(\d+))?\s?([ap])?", typed, re.IGNORECASE)
    assert found is not None
    hour, minute, half = found.groups(default="")
    if ":" in sign:
        return typed
    later = half.lower() == "p" and int(hour) < 12
    if later and not re.match(r"\s(?:de|du)\b", rest):  # who writes "du soir" counts to 12
        hour = str(int(hour) + 12)
    return f"{hour}{sign}{minute}".rstrip()


def _repaired(
    reading: Reading, translation: Translation, target: Rewriting, lost: Sequence[Item]
) -> Told:
    """With what may not change in place of the word that looked at it, or of a strange number."""
    sentence, words = (
        reading.rewriting.original,
        word_spans(target.original, translation.target_words),
    )
    changes: dict[Span, str] = {}
    numbers = [one for one in lost if one.kind in ("time", "number")]
    strange = _strange(sentence, translation.text)
    if len(numbers) == len(strange) == 1:
        changes[strange[0].span()] = _text(sentence, numbers[0])
    for item in lost:
        if item.kind not in COPIED or item.kind == "quoted":
            continue
        place = _looking(reading, translation, item)
        if place is not None:
            changes.setdefault(words[place], _text(sentence, item))
        else:
            end = len(target.original)
            changes.setdefault((end, end), f" {_text(sentence, item)}")
    if not changes:
        return Told(reading, translation, target)
    return Told(reading, translation, rewritten(target.original, changes.items()))


def _looking(reading: Reading, translation: Translation, item: Item) -> int | None:
    """The target word that looked most at an item."""
    weights = translation.weights
    if weights is None or not weights.numel():
        return None
    read = word_spans(reading.text, translation.source_words)
    columns = reading.rewriting.overlaps([item.span], read)[:, 0] > 0
    shares = weights[:, columns].sum(dim=-1)
    place = int(shares.argmax())
    word = translation.target_words[place]
    return place if any(map(str.isalnum, word)) else None
