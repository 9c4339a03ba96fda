"""Pairs made of others, for what people type and data has too seldom.

Names and numbers that a translator has never seen, several sentences in a line, lines in capitals
or without any: what clean pairs do not teach. Every kind has a share; the same pairs come with
every pass, so that a run is gone on with to the bit.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Annotated

from pydantic import Field

from regard.config import Config

from .example import Example

Share = Annotated[float, Field(ge=0, le=1)]
"""Probability with which a pair is followed by one that is made of it."""

_NUMBER = re.compile(r"(?<![\w.,])\d+(?![\w]|[.,]\d)")
_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_END = re.compile(r"\s*[.!?]$")
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"
_STRANGE = "\U0001f642\U0001f44d\u2764\u20ac\u00a3\u65e5\u043b\u03b1\u0633"
"""Characters that hardly any pair has: byte fallback is learned from them."""


class Augmentation(Config):
    """Shares of pairs that others are made of; all are 0, which adds nothing."""

    copies: Share = 0.0
    """A pair whose sides are the same: names, numbers, codes, addresses, strange characters."""
    names: Share = 0.0
    """A name that stands on both sides is another, made up."""
    numbers: Share = 0.0
    """A number that stands on both sides is another."""
    joined: Share = 0.0
    """The pair together with the one before it."""
    capitals: Share = 0.0
    """Both sides in capitals."""
    small: Share = 0.0
    """Both sides without capitals, and without the mark at their end."""
    seed: int = 0
    """Another one, other pairs."""

    def added(self, examples: Iterable[Example]) -> Iterator[Example]:
        """``examples``, and behind each what is made of it."""
        random = Random(self.seed)
        shares = {kind: getattr(self, name) for name, kind in KINDS.items()}
        before: Example | None = None
        for example in examples:
            yield example
            for kind, share in shares.items():
                if share and random.random() < share:
                    made = kind(example, before, random)
                    if made is not None:
                        yield made
            before = example


def _copy(example: Example, before: Example | None, random: Random) -> Example:
    words = [random.choice(MADE_UP)(random) for _ in range(random.randint(1, 4))]
    text = " ".join(words)
    links = frozenset((place, place) for place in range(len(words)))
    return Example(text, text, links if example.alignment is not None else None)


def _renamed(example: Example, before: Example | None, random: Random) -> Example | None:
    return _exchanged(example, _NAME, lambda _: _name(random), random)


def _renumbered(example: Example, before: Example | None, random: Random) -> Example | None:
    return _exchanged(example, _NUMBER, lambda old: _digits(random, len(old)), random)


def _exchanged(
    example: Example, pattern: re.Pattern[str], new: Callable[[str], str], random: Random
) -> Example | None:
    """With another word for one that stands once on both sides."""
    here, there = (pattern.findall(text) for text in (example.source, example.target))
    once = [word for word in here if here.count(word) == there.count(word) == 1]
    if not once:
        return None
    old = random.choice(once)
    word = new(old)
    whole = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
    return _changed(example, lambda text: whole.sub(word, text))


def _joined(example: Example, before: Example | None, random: Random) -> Example | None:
    if before is None:
        return None
    texts = f"{before.source} {example.source}", f"{before.target} {example.target}"
    if before.alignment is None or example.alignment is None:
        return Example(*texts)
    sides = (
        [tuple(one.source_words or one.source.split()) for one in (before, example)],
        [tuple(one.target_words or one.target.split()) for one in (before, example)],
    )
    (first, second), (other, last) = sides
    moved = {(i + len(first), j + len(other)) for i, j in example.alignment}
    return Example(*texts, before.alignment | moved, first + second, other + last)


def _shouted(example: Example, before: Example | None, random: Random) -> Example:
    return _changed(example, str.upper)


def _small(example: Example, before: Example | None, random: Random) -> Example | None:
    if example.alignment is not None:
        return _changed(example, str.lower)  # links count the marks too
    return _changed(example, lambda text: _END.sub("", text.lower()))


def _changed(example: Example, change: Callable[[str], str]) -> Example:
    """Texts and words alike."""
    words = [
        None if side is None else tuple(map(change, side))
        for side in (example.source_words, example.target_words)
    ]
    return Example(change(example.source), change(example.target), example.alignment, *words)


def _name(random: Random) -> str:
    syllables = [
        random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(random.randint(2, 4))
    ]
    return "".join(syllables).capitalize() + random.choice(["", "", "n", "s", "k"])


def _digits(random: Random, count: int) -> str:
    return str(random.randint(10 ** (count - 1), 10**count - 1))


def _number(random: Random) -> str:
    return _digits(random, random.randint(1, 5))


def _time(random: Random) -> str:
    return f"{random.randint(0, 23)}:{random.randint(0, 59):02}"


def _code(random: Random) -> str:
    letters = "".join(random.choices("ABCDEFGHKLMNPRSTUVXZ", k=random.randint(1, 3)))
    return f"{letters}{random.choice(['', '-'])}{_number(random)}"


def _address(random: Random) -> str:
    name = _name(random).lower()
    return random.choice([f"{name}@{_name(random).lower()}.org", f"www.{name}.com"])


def _strange(random: Random) -> str:
    return random.choice(_STRANGE)


MADE_UP: list[Callable[[Random], str]] = [_name, _name, _number, _time, _code, _address, _strange]
KINDS: dict[str, Callable[[Example, Example | None, Random], Example | None]] = {
    "copies": _copy,
    "names": _renamed,
    "numbers": _renumbered,
    "joined": _joined,
    "capitals": _shouted,
    "small": _small,
}
