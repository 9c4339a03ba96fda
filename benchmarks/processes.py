"""Systems that run in processes of their own, from our side of the pipe: start, ask, race."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .places import ROOT, SOURCE, python_path
from .race import Race, RaceResult, Timed, Turn, What
from .reasons import NOT_INSTALLED
from .settings import Tell
from .timing import orders

OURS = "regard"

LOAD_SECONDS = 600.0
"""How long a system may take to load."""
SLOWEST = 600.0
"""How long a turn may take: one update of a slow system, at least."""
PATIENCE = 5.0
"""How long a process may take to end by itself."""


class DriverError(Exception):
    """A driver that ended or fell silent; the message says why."""


class Child:
    """A process that answers every line with a line.

    Args:
        command: what to run.
        environment: its environment variables.
        log: a file for all that it prints otherwise.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                list(command),
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
            )
        self._rest = b""

    def ready(self) -> dict[str, Any]:
        """What it says of itself once it is loaded.

        Raises:
            DriverError: it could not be loaded.
        """
        return self._answer(LOAD_SECONDS)

    def ask(self, order: str, timeout: float = SLOWEST) -> dict[str, Any]:
        """Send one line, and wait for its answer.

        Raises:
            DriverError: it ended, or gave no answer in so many seconds.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{order}\n".encode())
        except BrokenPipeError as error:
            raise self._failure() from error
        return self._answer(timeout)

    def close(self) -> None:
        """End it, by force if it does not hear."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(timeout=PATIENCE)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            self._process.stdout.close()

    def _answer(self, timeout: float) -> dict[str, Any]:
        pipe = self._process.stdout
        assert pipe is not None
        until = time.monotonic() + timeout
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise DriverError(f"no answer within {timeout:.0f} s")
            read = os.read(pipe.fileno(), 2**16)
            if not read:
                raise self._failure()
            self._rest += read
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _failure(self) -> DriverError:
        return DriverError(last_words(self._log, self._process.wait()))


def last_words(log: Path, code: int) -> str:
    """Why a process ended: the last line that it printed."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"the process ended with {code}: {(lines or ['no message'])[-1]}"


def variables(threads: int) -> dict[str, str]:
    """Our environment, with the benchmarks importable and as many threads for everybody."""
    count = str(threads)
    return {
        **os.environ,
        "PYTHONPATH": python_path(ROOT),
        "OMP_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "NUMBA_NUM_THREADS": count,
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
    }


def with_this_package(environment: Mapping[str, str]) -> dict[str, str]:
    """The same with the regard that runs now, for programs in our own interpreter."""
    paths = [environment["PYTHONPATH"], str(SOURCE)]
    return {**environment, "PYTHONPATH": os.pathsep.join(paths)}


@dataclass(frozen=True)
class Contender:
    """A system in a process of its own.

    Args:
        name: what it is called in tables.
        driver: the module that runs it.
        note: what exactly runs.
        environment: the folder of its virtual environment; None for the one we run in.
    """

    name: str
    driver: str
    note: str
    environment: str | None = None


def start(contender: Contender, environments: Path, job: Mapping[str, Any]) -> Child:
    """The process of a contender.

    Args:
        contender: who.
        environments: where the virtual environments are.
        job: for the program, with its ``folder`` and ``threads``; the log goes there too.

    Raises:
        DriverError: it is not installed.
    """
    home = contender.environment and environments / contender.environment
    # Not resolved: it is by its path that a Python knows its environment.
    python = (home / "bin" / "python").absolute() if home else Path(sys.executable)
    if not python.is_file():
        raise DriverError(NOT_INSTALLED)
    environment = variables(job["threads"])
    return Child(
        [str(python), "-m", contender.driver, json.dumps(job)],
        environment if home else with_this_package(environment),
        Path(job["folder"]) / f"{contender.driver}.log",
    )


@dataclass
class Crew:
    """The processes that are alive, what they say of themselves, and why others are not there."""

    children: dict[str, Child] = field(default_factory=dict)
    about: dict[str, dict[str, Any]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def ask(self, name: str, order: str) -> dict[str, Any] | None:
        """The answer of one, or ``None`` if it is gone."""
        if name not in self.children:
            return None
        try:
            return self.children[name].ask(order)
        except DriverError as error:
            self.drop(name, error)
            return None

    def drop(self, name: str, error: DriverError) -> None:
        """Go on without one."""
        self.absent[name] = str(error)
        if name in self.children:
            self.children.pop(name).close()


@contextmanager
def at_work(
    contenders: Sequence[Contender], environments: Path, job: Mapping[str, Any], tell: Tell
) -> Iterator[Crew]:
    """Everybody who is installed, loaded; all ended in the end."""
    crew = Crew()
    try:
        for contender in contenders:
            tell(f"loading {contender.name}")
            try:
                child = start(contender, environments, job)
                crew.children[contender.name] = child
                crew.about[contender.name] = {"note": contender.note, **child.ready()}
            except DriverError as error:
                crew.drop(contender.name, error)
        yield crew
    finally:
        for child in crew.children.values():
            child.close()


def run_race(
    crew: Crew, race: Race[What], work: Sequence[str], *, unit: str, tell: Tell
) -> tuple[RaceResult[What, Timed], dict[str, dict[str, Any]]]:
    """Give everybody the same work, round by round, in another order every round.

    Args:
        crew: who is there; who breaks leaves it.
        race: what is raced.
        work: an order to warm up by, then one per round.
        unit: the count of a turn that speed is told in.
        tell: called with a line about each piece of work.

    Returns:
        The result, and the answers of the warm-up.
    """
    label, first = race.what.label, {}
    for name in list(crew.children):
        tell(f"{label}: warming up {name}")
        answer = crew.ask(name, work[0])
        if answer is not None:
            first[name] = answer
    turns: dict[str, list[Turn]] = {name: [] for name in first}
    rounds = len(work) - 1
    for number, names in enumerate(orders(list(first), rounds), 1):
        for name in names:
            answer = crew.ask(name, work[number])
            if answer is not None:
                turns[name].append(answer)
        last = {name: turns[name][-1] for name in crew.children}
        rates = (f"{name} {turn[unit] / turn['seconds']:,.0f}" for name, turn in last.items())
        tell(f"{label}, round {number} of {rounds}: {', '.join(rates)} {unit}/s")
    timed = {name: Timed(tuple(turns[name]), unit, crew.about[name]) for name in crew.children}
    return RaceResult(race, timed, dict(crew.absent)), first
