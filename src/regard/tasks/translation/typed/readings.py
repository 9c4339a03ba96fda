"""A line cut into sentences, and ways to read each: as typed, or as a model may know it better."""

import re
from collections.abc import Iterator
from itertools import islice, permutations
from typing import NamedTuple

from regard.data.vocabulary import Span, Tokeniser

from .items import COPIED, Item, items, names, sentence_spans, spelled
from .rewriting import Rewriting, plain_marks, rewritten, shouted, truecased, whispered
from .typing import Typing
from .wording import politely, single_marks, spelt_out, unquoted

_WORD = re.compile(r"[^\W\d_]+")
_MARK = re.compile(r"[.?!\u2026:;,\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb)\]]*$")
FIXED = frozenset(["time", "number", "date", "age"])
"""Items that only one of their kind stands for."""


class StandIn(NamedTuple):
    """What the model reads in place of an item."""

    item: Item
    text: str


class Reading(NamedTuple):
    """A sentence as the model reads it."""

    rewriting: Rewriting
    stand_ins: tuple[StandIn, ...] = ()
    mark: str = ""
    """What was put behind it."""
    merit: float = 0.0
    """What its words are worth beside those that were typed, in margins of likelihood."""

    @property
    def text(self) -> str:
        """What is read."""
        return self.rewriting.text


def readings(sentence: str, tokeniser: Tokeniser, typing: Typing) -> list[Reading]:
    """The plain reading first; then those in other words, with marks, or with stand-ins."""
    changes = _letters(sentence, tokeniser, typing)
    found = list(items(sentence))
    cased = rewritten(sentence, changes).text
    if len(cased) == len(sentence):  # names by their capitals, as they are read
        polite = list(politely(sentence))
        found += [one for one in names(cased, tokeniser, found) if not _meets(one.span, polite)]
    found = [_inside(sentence, one) for one in found if _needs_help(sentence, one, tokeniser)]
    if not _WORD.search(_without(sentence, [one for one in found if one.kind not in FIXED])):
        found = []  # nothing else to translate
    ways = [(changes, 0.0), *_other_words(sentence, changes)]
    plain = Reading(rewritten(sentence, changes))
    bare = [
        Reading(_swapped(sentence, way, (), mark), (), mark, merit)
        for way, merit in ways
        for mark in ("", *_end_marks(sentence, tokeniser, typing))
    ]
    several = list(islice(_stand_ins(sentence, found, tokeniser, typing), typing.most))
    swapped = [
        Reading(_swapped(sentence, way, chosen, mark), chosen, mark, merit)
        for way, merit in ways
        if merit >= 0
        for chosen in several
        for mark in ("", *_end_marks(sentence, tokeniser, typing)[:1])
    ]
    different = {reading.text: reading for reading in reversed([plain, *bare, *swapped])}
    return list(reversed(different.values()))


def _other_words(
    sentence: str, changes: list[tuple[Span, str]]
) -> Iterator[tuple[list[tuple[Span, str]], float]]:
    """The same in words that are more usual in books; without quotes, if all else fails."""
    for others, merit in (
        (spelt_out(sentence), 1 / 3),
        (list(politely(sentence)), 1 / 3),
        (list(unquoted(sentence)), -1.0),
    ):
        others = [(span, _capital(text) if span[0] == 0 else text) for span, text in others]
        if others:
            kept = [one for one in changes if not _meets(one[0], others)] + others
            yield kept, merit


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _meets(span: Span, others: list[tuple[Span, str]]) -> bool:
    return any(start < span[1] and span[0] < end for (start, end), _ in others)


def _letters(sentence: str, tokeniser: Tokeniser, typing: Typing) -> list[tuple[Span, str]]:
    """Marks that are better known as others; letters of a sentence in capitals, or without any."""
    marks = plain_marks(sentence, tokeniser)
    changes = [((i, i + 1), marks[one]) for i, one in enumerate(sentence) if one in marks]
    changes += single_marks(sentence)
    taken = [one.span for one in items(sentence)]
    if not typing.truecase or not (shouted(sentence) or whispered(sentence)):
        return changes
    first = shouted(sentence)
    for word in _WORD.finditer(sentence):
        if any(start <= word.start() < end for start, end in taken):
            continue
        better = truecased(word[0], tokeniser)
        better = better[0].upper() + better[1:] if first else better
        first = False
        if sentence[word.start() - 1 : word.start()] in ("'", "\u2019") and word.start():
            better = word[0].lower()
        if better != word[0]:
            changes.append((word.span(), better))
    return changes


def _end_marks(sentence: str, tokeniser: Tokeniser, typing: Typing) -> list[str]:
    """Marks for a sentence that has none, of those that the vocabulary knows behind a word."""
    if _MARK.search(sentence):
        return []
    pieces = {mark: tokeniser.pieces(f"a{mark}") for mark in typing.end_marks}
    return [
        mark
        for mark, found in pieces.items()
        if mark in found[-1] and tokeniser.ids(found)[-1] != tokeniser.unk
    ]


def _swapped(
    sentence: str,
    changes: list[tuple[Span, str]],
    chosen: tuple[StandIn, ...],
    mark: str,
) -> Rewriting:
    spans = [one.item.span for one in chosen]
    kept = [
        (span, text)
        for span, text in changes
        if not any(start < span[1] and span[0] < end for start, end in spans)
    ]
    every = [*kept, *((one.item.span, one.text) for one in chosen)]
    if not mark:
        return rewritten(sentence, every)
    first = sentence[:1]
    if first.islower() and not any(span[0] == 0 for span, _ in every):
        every.append(((0, 1), first.upper()))
    else:
        every = [(span, _capital(text)) if span[0] == 0 else (span, text) for span, text in every]
    return rewritten(sentence, [*every, ((len(sentence), len(sentence)), mark)])


def _needs_help(sentence: str, item: Item, tokeniser: Tokeniser) -> bool:
    """Whether the vocabulary does not know it as it is."""
    return item.kind in COPIED or spelled(sentence[slice(*item.span)], tokeniser)


def _inside(sentence: str, item: Item) -> Item:
    """Without the period that ends the sentence."""
    start, end = item.span
    last = end == len(sentence) and sentence.endswith(".")
    return item._replace(span=(start, end - last))


def _without(sentence: str, found: list[Item]) -> str:
    return rewritten(sentence, [(one.span, " ") for one in found]).text


def _stand_ins(
    sentence: str, found: list[Item], tokeniser: Tokeniser, typing: Typing
) -> Iterator[tuple[StandIn, ...]]:
    """Names in every order; numbers and times as their kind has them."""
    free = [
        one
        for one in typing.stand_ins
        if one not in sentence and tokeniser.unk not in tokeniser.encode(one)
    ]
    copied = sorted((one for one in found if one.kind not in FIXED), key=_must_be_copied)
    named = copied[: len(free)]
    fixed = list(_fixed(sentence, [one for one in found if one.kind in FIXED], typing))
    orders = list(permutations(free, len(named)))
    few = [one for one in _fewer(named, free) if one]
    for turn in range(max(len(orders), len(fixed))):
        order, others = orders[turn % len(orders)], fixed[turn % len(fixed)] if fixed else ()
        if both := [*others, *map(StandIn, named, order)]:
            yield tuple(sorted(both))
        if turn < len(few):
            yield tuple(sorted([*others, *few[turn]]))
    if fixed and named:
        yield from fixed
        yield from (tuple(map(StandIn, named, order)) for order in orders)


def _fewer(named: list[Item], free: list[str]) -> Iterator[tuple[StandIn, ...]]:
    """All names but one, which the model may know well enough."""
    for left_out in named:
        if left_out.kind == "name" and len(named) > 1:
            rest = [one for one in named if one is not left_out]
            for order in islice(permutations(free, len(rest)), 2):
                yield tuple(map(StandIn, rest, order))


def _must_be_copied(item: Item) -> bool:
    return item.kind not in COPIED


def _fixed(sentence: str, found: list[Item], typing: Typing) -> Iterator[tuple[StandIn, ...]]:
    """Numbers and times, with one of their kind each: first all of them, then one alone."""
    for turn in range(len(typing.numbers)):
        chosen, used = [], set()
        for one in found:
            text = sentence[slice(*one.span)]
            kinds = typing.of(one.kind, text)
            free = [each for each in kinds if each not in sentence and each not in used]
            if free:
                used.add(free[turn % len(free)])
                chosen.append(StandIn(one, free[turn % len(free)]))
        if chosen:
            yield tuple(chosen)
        if len(chosen) > 1:
            yield from ((one,) for one in chosen)


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
