"""All that is true of a scene and can be said of it: captions, and what their nouns stand for."""

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

from .groups import Group, groups
from .things import Thing, relation
from .words import place

PLACED = {
    "left": ("to", "the", "left", "of"),
    "right": ("to", "the", "right", "of"),
    "above": ("above",),
    "below": ("below",),
}


class Caption(NamedTuple):
    """A sentence about a scene, lower case, without a mark at its end."""

    words: tuple[str, ...]
    nouns: dict[int, tuple[int, ...]]
    """From the place of each noun among the words to the numbers of the things it stands for."""

    @property
    def text(self) -> str:
        """Words with spaces between, and none before a comma."""
        return " ".join(self.words).replace(" ,", ",")


def captions(things: Sequence[Thing]) -> tuple[Caption, ...]:
    """Every caption of a scene; any of them is right, and no other.

    One thing: what and where it is. Two: where each is, seen from the other. Otherwise a list of
    all, in any order.
    """
    found = groups(things)
    if len(things) == 1:
        return (_alone(found[0], things[0]),)
    if len(things) == len(found) == 2:
        return tuple(_pair(one, other, things) for one, other in permutations(found, 2))
    return tuple(_listed(order) for order in permutations(found))


def _alone(group: Group, thing: Thing) -> Caption:
    where = place(thing.row, thing.column)
    linked = ("at", "the") if where in ("top", "bottom") else ("in", "the")
    if where in ("left", "right"):
        linked = ("on", "the")
    return _joined([(group, group.phrase(thing.size)), (None, (*linked, *where.split()))])


def _pair(one: Group, other: Group, things: Sequence[Thing]) -> Caption:
    first, second = things[one.things[0]], things[other.things[0]]
    middle = PLACED[relation(first, second)]
    return _joined(
        [(one, one.phrase(first.size)), (None, middle), (other, other.phrase(second.size))]
    )


def _listed(order: Sequence[Group]) -> Caption:
    parts: list[tuple[Group | None, tuple[str, ...]]] = []
    for number, group in enumerate(order):
        if number:
            parts.append((None, ("and",) if number == len(order) - 1 else (",",)))
        parts.append((group, group.phrase()))
    return _joined(parts)


def _joined(parts: Sequence[tuple[Group | None, tuple[str, ...]]]) -> Caption:
    words: list[str] = []
    nouns: dict[int, tuple[int, ...]] = {}
    for group, phrase in parts:
        words.extend(phrase)
        if group is not None:
            nouns[len(words) - 1] = group.things  # a phrase ends with its noun
    return Caption(tuple(words), nouns)
