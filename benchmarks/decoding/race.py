"""Start everybody once; then, way by way, let them translate the same sentences in turn."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from ..race import compare
from ..reasons import NOT_INSTALLED
from ..timing import orders
from ..training.child import Child, DriverError, interpreter, variables, with_this_package
from ..training.contenders import OURS, Contender
from .contenders import DUELS, Way
from .outside.decoders.protocol import Order
from .results import Decoded, DecodingRace, DecodingSettings, Turn

OUTSIDE = Path(__file__).parent / "outside"
"""What a driver's interpreter finds the decoders in."""
SLOWEST = 600.0
"""Seconds that a turn may take."""

Tell = Callable[[str], None]


@dataclass
class Crew:
    """The processes that are alive, and why the others are not."""

    children: dict[str, Child] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def drop(self, name: str, error: DriverError) -> None:
        """Go on without one."""
        self.absent[name] = str(error)
        if name in self.children:
            self.children.pop(name).close()

    def ask(self, name: str, order: Order) -> dict[str, Any] | None:
        """The answer of one, or ``None`` if it is gone."""
        if name not in self.children:
            return None
        try:
            return self.children[name].ask(json.dumps(order._asdict()), SLOWEST)
        except DriverError as error:
            self.drop(name, error)
            return None


@contextmanager
def at_work(
    contenders: tuple[Contender, ...], settings: DecodingSettings, folder: Path, tell: Tell
) -> Iterator[Crew]:
    """Everybody who is installed, loaded; all ended in the end."""
    crew = Crew()
    try:
        for contender in contenders:
            tell(f"loading {contender.name}")
            try:
                child = started(contender, settings, folder)
                crew.children[contender.name] = child
                crew.versions[contender.name] = child.ready()["versions"]
            except DriverError as error:
                crew.drop(contender.name, error)
        yield crew
    finally:
        for child in crew.children.values():
            child.close()


def started(contender: Contender, settings: DecodingSettings, folder: Path) -> Child:
    """The process of a contender.

    Raises:
        DriverError: it is not installed.
    """
    home = contender.environment and settings.environments / contender.environment
    python = interpreter(home or None)
    if not python.is_file():
        raise DriverError(NOT_INSTALLED)
    job = {"folder": str(folder), "threads": settings.threads, "length": settings.forced}
    environment = variables(settings.threads, OUTSIDE)
    return Child(
        # Not resolved: it is by its path that a Python knows its environment.
        [str(python.absolute()), "-m", f"decoders.{contender.driver}", json.dumps(job)],
        environment if home else with_this_package(environment),
        folder / f"{contender.driver}.log",
    )


def run_race(crew: Crew, way: Way, *, sources: int, rounds: int, tell: Tell) -> DecodingRace:
    """One way to translate, round by round, in another order every round.

    Before the first round everybody translates once, to warm up and to compare answers.

    Args:
        crew: who is there; who breaks leaves it.
        way: how.
        sources: how many there are.
        rounds: how often.
        tell: called with a line about each piece of work before it starts.
    """
    work = portions(way, sources, rounds)
    answers = {}
    for name in list(crew.children):
        tell(f"{way.title}: warming up {name}")
        told = crew.ask(name, Order(work[0], way.size, way.beam, told=True))
        if told is not None:
            answers[name] = told["answers"]
    turns: dict[str, list[Turn]] = {name: [] for name in answers}
    for number, names in enumerate(orders(list(answers), rounds), 1):
        for name in names:
            turn = crew.ask(name, Order(work[number], way.size, way.beam))
            if turn is not None:
                turns[name].append(Turn(**turn))
        tell(f"{way.title}, round {number} of {rounds}: {rates(turns)} tokens/s")
    decoded = {
        name: Decoded(tuple(done), agreement(answers[name], answers.get(OURS, answers[name])))
        for name, done in turns.items()
        if name in crew.children
    }
    samples = {name: system.samples for name, system in decoded.items()}
    comparisons = tuple(compare(duel, samples, crew.absent) for duel in DUELS)
    return DecodingRace(way, decoded, dict(crew.absent), comparisons)


def portions(way: Way, sources: int, rounds: int) -> list[list[int]]:
    """The sources of the warm-up and of every round: neighbours in length where several go at once.

    The same in every run, and the same for everybody.
    """
    random = Random(0)
    count = min(way.sentences, sources)
    if way.size == 1:
        return [random.sample(range(sources), count) for _ in range(rounds + 1)]
    starts = [random.randint(0, sources - count) for _ in range(rounds + 1)]
    return [list(range(start, start + count)) for start in starts]


def agreement(answers: list[list[int]], ours: list[list[int]]) -> float:
    """Share of answers that are the same."""
    return sum(a == b for a, b in zip(answers, ours, strict=True)) / len(ours)


def rates(turns: dict[str, list[Turn]]) -> str:
    """How fast everybody was in the last round."""
    last = {name: done[-1] for name, done in turns.items() if done}
    return ", ".join(f"{name} {turn.tokens / turn.seconds:,.0f}" for name, turn in last.items())
