"""The other end of the pipe: translate while it is our turn, sleep while it is not."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ...pipe import Lines, fields, peak_bytes, say
from ...pipe import opened as opened
from ...pipe import versions as versions

Translate = Callable[[list[list[int]], "Order"], list[list[int]]]
"""From sources to the tokens of each answer, as an order says."""

SOURCES = "sources.json"
MODEL = "model.json"
WEIGHTS = "weights.safetensors"
LONGEST = 256
"""Tokens of an answer at most, where its end is free."""


class Job(NamedTuple):
    """What a system is to work with."""

    folder: Path
    """Where model and sources lie, and where a system may write."""
    threads: int
    length: int | None
    """Tokens of every answer: no more, no less; ``None``: as many as the model likes."""

    @property
    def least(self) -> int:
        """Tokens of an answer at least."""
        return self.length or 0

    @property
    def most(self) -> int:
        """Tokens of an answer at most."""
        return self.length or LONGEST


class Order(NamedTuple):
    """One turn."""

    numbers: list[int]
    """Which sources."""
    size: int
    """How many of them at once."""
    beam: int
    """1 is greedy."""
    told: bool = False
    """Whether to send the answers too."""


def job(arguments: list[str]) -> Job:
    """The job in the first argument."""
    return Job(**fields(arguments))


def read(asked: Job, name: str) -> Any:
    """A file of the job's folder."""
    return json.loads((asked.folder / name).read_text(encoding="utf-8"))


def serve(
    translate: Translate,
    sources: list[list[int]],
    about: dict[str, Any],
    pipes: tuple[Lines, Lines],
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Say that everything is loaded, then answer each order until there are no more.

    Args:
        translate: the system.
        sources: all sources, as token numbers.
        about: what is said first.
        pipes: where orders come from, and where answers go.
        clock: seconds since some moment.
    """
    orders, answers = pipes
    say(answers, about)
    before = time.process_time()
    for line in orders:
        idle = time.process_time() - before
        order = Order(**json.loads(line))
        chosen = [sources[number] for number in order.numbers]
        start = clock()
        found = translate(chosen, order)
        seconds = clock() - start
        turn = {
            "seconds": seconds,
            "sentences": len(found),
            "tokens": sum(map(len, found)),
            "idle_cpu": idle,
            "peak_bytes": peak_bytes(),
        }
        say(answers, turn | ({"answers": found} if order.told else {}))
        before = time.process_time()


def batch_by_batch(
    translated: Callable[[list[list[int]]], list[list[int]]], sources: list[list[int]], size: int
) -> list[list[int]]:
    """The answers of a system that is given one batch at a time, sources of like length together.

    Args:
        translated: the answers to one batch.
        sources: all sources.
        size: how many make a batch.
    """
    order = sorted(range(len(sources)), key=lambda number: len(sources[number]))
    found: dict[int, list[int]] = {}
    for start in range(0, len(order), size):
        some = order[start : start + size]
        found |= zip(some, translated([sources[number] for number in some]), strict=True)
    return [found[number] for number in range(len(sources))]
