"""One architecture: start everybody, then let them train in turn while the others sleep."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..race import compare
from ..reasons import NOT_INSTALLED
from ..timing import orders
from .child import Child, DriverError, interpreter, variables, with_this_package
from .contenders import Architecture, Contender
from .results import Trained, TrainingRace, TrainingSettings, Turn

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Args:
        rounds: turns of everybody.
        seconds: of a turn; an update that has begun is finished.
    """

    rounds: int
    seconds: float


@dataclass
class Runner:
    """A contender at work."""

    contender: Contender
    child: Child
    about: dict[str, Any]
    turns: list[Turn]

    @property
    def trained(self) -> Trained:
        """What came of it."""
        about = self.about
        return Trained(self.contender, about["parameters"], about["versions"], tuple(self.turns))


def run_race(
    architecture: Architecture,
    *,
    settings: TrainingSettings,
    folder: Path,
    effort: Effort,
    tell: Tell,
) -> TrainingRace:
    """Train everybody who is installed, round by round, in another order every round.

    Args:
        architecture: what, and who.
        settings: threads, budget, where the environments are.
        folder: where the text is.
        effort: how long.
        tell: called with a line about each piece of work before it starts.
    """
    absent: dict[str, str] = {}
    with at_work() as runners:
        for contender in architecture.contenders:
            tell(f"{architecture.name}: loading {contender.name}")
            try:
                runners[contender.name] = started(contender, architecture, settings, folder)
                runners[contender.name].child.go(effort.seconds)
            except DriverError as error:
                absent[contender.name] = str(error)
                _drop(runners, contender.name)
        for number, names in enumerate(orders(list(runners), effort.rounds), 1):
            tell(f"{architecture.name}: round {number} of {effort.rounds}")
            take_turns(runners, names, effort.seconds, absent)
            tell(f"{architecture.name}: round {number}: {rates(runners)} target tokens/s")
        trained = {name: runner.trained for name, runner in runners.items()}
    samples = {name: system.samples for name, system in trained.items()}
    comparisons = tuple(compare(duel, samples, absent) for duel in architecture.duels)
    return TrainingRace(architecture, trained, absent, comparisons)


def started(
    contender: Contender, architecture: Architecture, settings: TrainingSettings, folder: Path
) -> Runner:
    """The process of a contender, loaded.

    Raises:
        DriverError: it is not installed, or could not be loaded.
    """
    home = contender.environment and settings.environments / contender.environment
    python = interpreter(home or None)
    if not python.is_file():
        raise DriverError(NOT_INSTALLED)
    job = {
        "architecture": architecture.name,
        "folder": str(folder),
        "threads": settings.threads,
        "max_tokens": settings.max_tokens,
    }
    environment = variables(settings.threads)
    child = Child(
        # Not resolved: it is by its path that a Python knows its environment.
        [str(python.absolute()), "-m", f"drivers.{contender.driver}", json.dumps(job)],
        environment if home else with_this_package(environment),
        folder / f"{architecture.name}-{contender.driver}.log",
    )
    try:
        return Runner(contender, child, child.ready(), [])
    except BaseException:
        child.close()
        raise


def take_turns(
    runners: dict[str, Runner], names: list[str], seconds: float, absent: dict[str, str]
) -> None:
    """One round; who breaks is out."""
    for name in names:
        if name not in runners:
            continue
        try:
            runners[name].turns.append(Turn(**runners[name].child.go(seconds)))
        except DriverError as error:
            absent[name] = str(error)
            _drop(runners, name)


def rates(runners: dict[str, Runner]) -> str:
    """How fast everybody was in the last round."""
    last = {name: runner.turns[-1] for name, runner in runners.items()}
    return ", ".join(
        f"{name} {turn.target_tokens / turn.seconds:,.0f}" for name, turn in last.items()
    )


def _drop(runners: dict[str, Runner], name: str) -> None:
    if name in runners:
        runners.pop(name).child.close()


@contextmanager
def at_work() -> Iterator[dict[str, Runner]]:
    """Processes by name, all ended in the end."""
    runners: dict[str, Runner] = {}
    try:
        yield runners
    finally:
        for runner in runners.values():
            runner.child.close()
