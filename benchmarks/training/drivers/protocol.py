"""The other end of the pipe: train while it is our turn, sleep while it is not."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from ... import pipe
from ...pipe import versions as versions

Batch = TypeVar("Batch")


class Job(NamedTuple):
    """What a driver is to train."""

    architecture: str
    """``"gru"`` or ``"transformer"``."""
    folder: Path
    """Where the text lies, and where a system may write."""
    threads: int
    max_tokens: int
    """The budget of a batch."""


class Amount(NamedTuple):
    """The size of a batch."""

    rows: int
    """Sentences."""
    source_tokens: int
    """Without padding, ends of sentences counted."""
    target_tokens: int
    """Tokens to predict: without padding, ends of sentences counted."""
    padded: int
    """Rows times the longer of the two sides."""


def job(arguments: list[str]) -> Job:
    """The job in the first argument."""
    return Job(**pipe.fields(arguments))


class Meter:
    """Hands out batches while the clock runs, reports and waits when the time is over.

    Whatever asks for the next batch has finished its last update by then, so the loop may be a
    system's own. The time to make a batch counts.

    Args:
        orders: lines ``go <seconds>``; anything else, or their end, ends the process.
        answers: where a line of JSON goes after each order.
        clock: seconds since some moment.
        leave: ends the process at once: a system's own loop would save and test before it ends.
    """

    def __init__(
        self,
        orders: pipe.Lines,
        answers: pipe.Lines,
        *,
        clock: Callable[[], float] = time.perf_counter,
        leave: Callable[[int], NoReturn] = os._exit,
    ) -> None:
        self._orders = orders
        self._answers = answers
        self._clock = clock
        self._leave = leave
        self._until: float | None = None
        self._start = 0.0
        self._updates = 0
        self._total = Amount(0, 0, 0, 0)
        self._idle = 0.0

    def ready(self, **about: Any) -> None:
        """Say that everything is loaded."""
        pipe.say(self._answers, about)

    def over(self, batches: Iterable[Batch], amount: Callable[[Batch], Amount]) -> Iterator[Batch]:
        """The batches, with a pause after each turn.

        Args:
            batches: of one epoch, or without end.
            amount: the size of a batch.
        """
        iterator = iter(batches)
        while True:
            self._wait_for_a_turn()
            batch = next(iterator, None)
            if batch is None:
                return
            self._updates += 1
            self._total = Amount(*map(sum, zip(self._total, amount(batch), strict=True)))
            yield batch

    def _wait_for_a_turn(self) -> None:
        now = self._clock()
        if self._until is not None:
            if now < self._until or not self._updates:
                return
            self._report(now - self._start)
        before = time.process_time()
        order = self._orders.readline().split()
        self._idle = time.process_time() - before
        if len(order) != 2 or order[0] != "go":
            self._answers.flush()
            self._leave(0)
        self._updates, self._total = 0, Amount(0, 0, 0, 0)
        self._start = self._clock()
        self._until = self._start + float(order[1])

    def _report(self, seconds: float) -> None:
        turn = {
            "seconds": seconds,
            "updates": self._updates,
            **self._total._asdict(),
            "idle_cpu": self._idle,
            "peak_bytes": pipe.peak_bytes(),
        }
        pipe.say(self._answers, turn)


def opened() -> Meter:
    """A meter on the pipes of this process."""
    return Meter(*pipe.opened())
