"""Things that one noun phrase stands for: all of one colour and kind."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .things import Thing
from .words import COUNTS, NOUNS


class Group(NamedTuple):
    """Things of one colour and kind."""

    things: tuple[int, ...]
    """Their numbers in the scene."""
    colour: str
    kind: str

    @property
    def noun(self) -> str:
        """What they are called."""
        noun = NOUNS[self.kind]
        return noun.one if len(self.things) == 1 else noun.many

    def phrase(self, size: str = "") -> tuple[str, ...]:
        """Such as ``a small red circle`` or ``two blue sevens``."""
        words = (size, self.colour, self.noun) if size else (self.colour, self.noun)
        if len(self.things) > 1:
            return (COUNTS[len(self.things)], *words)
        return ("an" if words[0][0] in "aeiou" else "a", *words)


def groups(things: Sequence[Thing]) -> tuple[Group, ...]:
    """All groups, in the order of their first things."""
    found: dict[tuple[str, str], list[int]] = {}
    for number, thing in enumerate(things):
        found.setdefault((thing.colour, thing.kind), []).append(number)
    return tuple(Group(tuple(rows), *name) for name, rows in found.items())


def named(things: Sequence[Thing], numbers: Iterable[int], word: str) -> tuple[int, ...]:
    """Those of some things that a noun, in either number, stands for."""
    return tuple(n for n in numbers if word in NOUNS[things[n].kind])
