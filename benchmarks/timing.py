"""Times of several calls taken in turn, so that a busy moment hits all of them alike."""

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from statistics import median, quantiles

Call = Callable[[], object]
Clock = Callable[[], float]

SHORTEST_SAMPLE = 0.001
"""Seconds a sample should last: a faster call is repeated within its sample.

Less than the turn of another program on a busy machine, so that most samples are over before one.
"""

MOST_LOOPS = 2000
"""Calls within one sample, at most."""


@dataclass(frozen=True)
class Samples:
    """Seconds per call, one number per round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle sample."""
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """Distance between the quartiles as a share of the median; 0 for a single sample."""
        if len(self.seconds) < 2:
            return 0.0
        lower, _, upper = quantiles(self.seconds, n=4, method="inclusive")
        return (upper - lower) / self.median


@dataclass(frozen=True)
class Effort:
    """How long to measure one race.

    Args:
        seconds: time to spend on the rounds, about.
        fewest: rounds to take however slow they are.
        most: rounds to stop at however fast they are.
        longest: seconds after which no more rounds are begun where a goal is still in doubt.
    """

    seconds: float
    fewest: int
    most: int
    longest: float = 0.0

    def rounds(self, round_seconds: float) -> int:
        """The number of rounds when one takes ``round_seconds``."""
        wanted = self.most if round_seconds <= 0 else int(self.seconds / round_seconds)
        return max(self.fewest, min(self.most, wanted))


def ratios(above: Samples, below: Samples) -> list[float]:
    """``above / below``, round by round: what is slow in a round is slow for both."""
    return [a / b for a, b in zip(above.seconds, below.seconds, strict=True)]


def ratio_of_medians(above: Samples, below: Samples) -> float:
    """The median of ``above`` over the median of ``below``."""
    return above.median / below.median


def differences(above: Samples, below: Samples) -> list[float]:
    """``above - below`` in seconds, round by round."""
    return [a - b for a, b in zip(above.seconds, below.seconds, strict=True)]


def middle(values: Sequence[float]) -> tuple[float, float]:
    """Two of the values between which the median of ever more of them lies, 19 times of 20.

    How many lie below the median is binomial, whatever the distribution; of fewer than six values
    these are the least and the greatest, which says less.
    """
    ranked, count = sorted(values), len(values)
    rank = max(0, math.floor((count - 1.96 * math.sqrt(count)) / 2))
    return ranked[rank], ranked[count - 1 - rank]


def joined(first: Mapping[str, Samples], then: Mapping[str, Samples]) -> dict[str, Samples]:
    """The rounds of both."""
    return {name: Samples(taken.seconds + then[name].seconds) for name, taken in first.items()}


def loops_for(seconds: float, shortest: float = SHORTEST_SAMPLE) -> int:
    """How often a call of ``seconds`` is made within a sample of ``shortest`` seconds or more."""
    if seconds <= 0:
        return MOST_LOOPS
    return max(1, min(MOST_LOOPS, math.ceil(shortest / seconds)))


def time_once(call: Call, loops: int = 1, clock: Clock = time.perf_counter) -> float:
    """Seconds per call over ``loops`` calls in a row."""
    start = clock()
    for _ in range(loops):
        call()
    return (clock() - start) / loops


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Keep the garbage collector from running inside a sample."""
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def orders(names: list[str], rounds: int) -> list[list[str]]:
    """The order of each round: shuffled, but always in the same way."""
    shuffle = Random(0)
    return [shuffle.sample(names, len(names)) for _ in range(rounds)]


def interleave(
    calls: Mapping[str, Call],
    *,
    rounds: int,
    loops: Mapping[str, int] | None = None,
    clock: Clock = time.perf_counter,
) -> dict[str, Samples]:
    """Times of ``calls`` taken round by round, in another order every round.

    What a call leaves behind (caches, the heap, spinning threads) costs or helps whoever comes
    next, so nobody may always come after the same one. The orders are the same in every run.

    Args:
        calls: what is timed, by name.
        rounds: samples per call.
        loops: calls within one sample, by name; 1 where not given.
        clock: seconds since some moment.
    """
    loops = loops or {}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    with quiet_collector():
        for names in orders(list(calls), rounds):
            for name in names:
                seconds[name].append(time_once(calls[name], loops.get(name, 1), clock))
    return {name: Samples(tuple(taken)) for name, taken in seconds.items()}
