"""Small stories told by ourselves, endless, with questions and the sentences that answer them.

People walk about, pick things up and put them down. *Where is Anna?* takes one sentence, *Where is
the lamp?* takes two: who carries it, and where that person went.
"""

from typing import NamedTuple

import numpy as np

from .question import Answer, Question

PEOPLE = ("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry")
PLACES = ("kitchen", "garden", "cellar", "attic", "library", "hall", "barn", "workshop")
THINGS = ("lamp", "letter", "basket", "hammer", "violin", "kettle")
MOVES = ("walked to", "hurried to", "strolled to", "came into")
TAKES = ("picked up", "found", "lifted")
LEAVES = ("put down", "dropped", "left")


class _World(NamedTuple):
    """Who is where by now, and in which sentence that was told."""

    places: dict[str, tuple[str, int]]
    """Of every person who has been somewhere."""
    holders: dict[str, tuple[str, int]]
    """Of every thing that somebody carries."""
    lying: dict[str, tuple[str, tuple[int, int]]]
    """Of every thing that somebody put down: where, and both sentences."""


class Stories:
    """Stories by their numbers: number n is always the same one.

    Args:
        seed: another seed, other stories.
        split: ``"valid"`` and ``"train"`` share no random number.
        sentences: of a story.
    """

    def __init__(self, seed: int = 0, *, split: str = "train", sentences: int = 8) -> None:
        self.seed, self.split, self.sentences = seed, split, sentences

    def __getitem__(self, number: int) -> Question:
        """A story with one question."""
        generator = np.random.default_rng([self.seed, int(self.split == "valid"), number])
        world = _World({}, {}, {})
        told: list[str] = []
        while len(told) < self.sentences:
            told.append(_event(world, len(told), generator))
        return _asked(world, told, generator, f"{self.split} {number}")


def _event(world: _World, number: int, generator: np.random.Generator) -> str:
    """The next sentence; the world changes as it says."""
    person = _one(PEOPLE[:4], generator)
    chance = generator.random()
    carried = [thing for thing, (holder, _) in world.holders.items() if holder == person]
    here = world.places.get(person, ("", 0))[0]
    lying_here = {thing for thing in THINGS if world.lying.get(thing, (here,))[0] == here}
    free = [thing for thing in THINGS if thing not in world.holders and thing in lying_here]
    if person in world.places and carried and chance < 0.2:
        thing = _one(carried, generator)
        del world.holders[thing]
        place, moved = world.places[person]
        world.lying[thing] = (place, (number, moved))
        return f"{person} {_one(LEAVES, generator)} the {thing}."
    if person in world.places and free and chance < 0.5:
        thing = _one(free, generator)
        world.holders[thing] = (person, number)
        world.lying.pop(thing, None)
        return f"{person} {_one(TAKES, generator)} the {thing}."
    place = _one([one for one in PLACES if one != here], generator)
    world.places[person] = (place, number)
    return f"{person} {_one(MOVES, generator)} the {place}."


def _asked(world: _World, told: list[str], generator: np.random.Generator, name: str) -> Question:
    things = [*world.holders, *world.lying]
    if things and generator.random() < 0.5:
        thing = _one(things, generator)
        question = f"Where is the {thing}?"
        if thing in world.holders:
            person, taken = world.holders[thing]
            place, moved = world.places[person]
            supports: tuple[int, ...] = (taken, moved)
        else:
            place, supports = world.lying[thing]
    else:
        person = _one(list(world.places), generator)
        question = f"Where is {person}?"
        place, moved = world.places[person]
        supports = (moved,)
    start = sum(len(sentence) + 1 for sentence in told[: supports[-1]])
    start += told[supports[-1]].rindex(place)
    group = "one sentence" if len(supports) == 1 else "two sentences"
    answer = Answer(place, start)
    return Question("\n".join(told), question, (answer,), tuple(told), supports, group, name)


def _one(choices: "tuple[str, ...] | list[str]", generator: np.random.Generator) -> str:
    return choices[int(generator.integers(len(choices)))]
