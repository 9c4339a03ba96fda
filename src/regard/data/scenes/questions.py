"""Questions about a scene that have one answer, and what has to be looked at for it."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from .groups import Group, groups
from .things import SceneConfig, Thing, relation
from .words import COUNTS, DIGITS, NOUNS, SHAPES, place


class Question(NamedTuple):
    """A question with its answer."""

    text: str
    answer: str
    about: tuple[int, ...]
    """The numbers of the things it asks about; none where what it asks for is not there."""
    kind: str
    """What it asks for: ``colour``, ``shape``, ``count``, ``presence``, ``place``, ``relation``."""


def questions(things: Sequence[Thing], random: Random, config: SceneConfig) -> tuple[Question, ...]:
    """Some questions of every kind that the scene allows, as many answered by yes as by no."""
    found = groups(things)
    return (
        *_colours(things, found),
        *_shapes(things, found),
        *_counts(things, random, config),
        *_presences(found, random, config),
        *_places(things, found),
        *_relations(things, found, random),
    )


def _colours(things: Sequence[Thing], found: Sequence[Group]) -> Iterator[Question]:
    if len(things) == 1:
        yield Question("what color is the shape?", things[0].colour, (0,), "colour")
    for group in found:
        if sum(one.kind == group.kind for one in found) == 1:
            verb = "is" if len(group.things) == 1 else "are"
            text = f"what color {verb} the {group.noun}?"
            yield Question(text, group.colour, group.things, "colour")


def _shapes(things: Sequence[Thing], found: Sequence[Group]) -> Iterator[Question]:
    if len(things) == 1:
        what = "what digit is shown?" if things[0].is_digit else "what shape is in the image?"
        yield Question(what, things[0].kind, (0,), "shape")
    for group in found:
        alone = sum(one.colour == group.colour for one in found) == 1
        if alone and len(group.things) == 1:
            what = "digit" if group.kind in DIGITS else "shape"
            text = f"what {what} is {group.colour}?"
            yield Question(text, group.kind, group.things, "shape")


def _counts(things: Sequence[Thing], random: Random, config: SceneConfig) -> Iterator[Question]:
    everything = tuple(range(len(things)))
    yield Question("how many things are there?", COUNTS[len(things)], everything, "count")
    asked = random.choice([thing.kind for thing in things])
    if random.random() < 0.3:
        asked = random.choice(config.kinds)
    about = tuple(n for n, thing in enumerate(things) if thing.kind == asked)
    text = f"how many {NOUNS[asked].many} are there?"
    yield Question(text, COUNTS[len(about)], about, "count")
    shade = random.choice([thing.colour for thing in things])
    about = tuple(n for n, thing in enumerate(things) if thing.colour == shade)
    yield Question(f"how many {shade} things are there?", COUNTS[len(about)], about, "count")


def _presences(found: Sequence[Group], random: Random, config: SceneConfig) -> Iterator[Question]:
    there = {(group.colour, group.kind): group.things for group in found}
    group = random.choice(found)
    yield _presence(group.colour, group.kind, group.things)
    # What is not there looks like something that is, but for its colour or its kind.
    absent = [(colour, group.kind) for colour in config.colours]
    absent += [(group.colour, kind) for kind in config.kinds]
    left = [one for one in absent if one not in there]
    if left:
        yield _presence(*random.choice(left), ())


def _presence(colour: str, kind: str, about: tuple[int, ...]) -> Question:
    article = "an" if colour[0] in "aeiou" else "a"
    text = f"is there {article} {colour} {kind}?"
    return Question(text, "yes" if about else "no", about, "presence")


def _places(things: Sequence[Thing], found: Sequence[Group]) -> Iterator[Question]:
    for group in found:
        if len(group.things) == 1:
            thing = things[group.things[0]]
            text = f"where is the {group.colour} {group.kind}?"
            yield Question(text, place(thing.row, thing.column), group.things, "place")


ASKED = {
    "left": "to the left of",
    "right": "to the right of",
    "above": "above",
    "below": "below",
}
OPPOSITE = {"left": "right", "right": "left", "above": "below", "below": "above"}


def _relations(
    things: Sequence[Thing], found: Sequence[Group], random: Random
) -> Iterator[Question]:
    alone = [group for group in found if len(group.things) == 1]
    if len(alone) < 2:
        return
    one, other = random.sample(alone, 2)
    about = (*one.things, *other.things)
    true = relation(things[one.things[0]], things[other.things[0]])
    says = true if random.random() < 0.5 else OPPOSITE[true]
    text = f"is the {one.colour} {one.kind} {ASKED[says]} the {other.colour} {other.kind}?"
    yield Question(text, "yes" if says == true else "no", about, "relation")
    if len(things) == 2 and one.kind in SHAPES:
        text = f"what shape is {ASKED[true]} the {other.colour} {other.kind}?"
        yield Question(text, one.kind, one.things, "relation")
