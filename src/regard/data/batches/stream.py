"""A resumable stream of batches, sharded among ranks."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Literal, NamedTuple

import numpy as np
from pydantic import Field

from regard.config import Config
from regard.errors import InputError, RangeError

from .pools import B, Pool, Pools, Positions


class BatchConfig(Config):
    """How examples are put together."""

    max_tokens: int = Field(default=4096, ge=1)
    """Padded tokens of a batch, of every process: rows times the longest of them; examples that are
    longer are left out, and counted. A picture counts one, and so does a question about one."""
    max_rows: int | None = Field(default=None, ge=1)
    """Rows of a rank's batch at most."""
    order: Literal["shuffled", "by_length"] = "shuffled"
    """Another order every epoch, or from short to long in each pool."""
    seed: int = Field(default=0, ge=0)
    """Of the order."""


def by_length(steps: Positions, counts: Positions) -> Positions:
    """The order from short to long, of equal ones first what counts less; the rest stays."""
    return np.lexsort((counts, steps))


def cut(steps: Sequence[int], *, max_tokens: int, max_rows: int | None) -> list[slice]:
    """Neighbours in batches whose padded size, rows times the longest, is within the budget.

    A row that is longer than the budget is a batch of its own.

    Args:
        steps: the length of every row.
        max_tokens: the budget.
        max_rows: rows per batch at most.
    """
    found: list[slice] = []
    start = longest = 0
    for row, length in enumerate(steps):
        longest = max(longest, length)
        rows = row - start + 1
        too_many = max_rows is not None and rows > max_rows
        if rows > 1 and (rows * longest > max_tokens or too_many):
            found.append(slice(start, row))
            start, longest = row, length
    if len(steps):
        found.append(slice(start, len(steps)))
    return found


FORMAT = 1


class Position(NamedTuple):
    """Where the next batch is."""

    epoch: int = 0
    pool: int = 0
    batch: int = 0


class Batches(Generic[B]):
    """The batches of one rank.

    Iterating yields what is left of the epoch, then the next iteration starts another one; an
    endless source never stops. :meth:`state_dict` between two batches is enough to go on with the
    identical remaining ones, in this process or another.

    Batches are cut for the budget of all ranks together, and rank r takes rows r, r + world_size,
    …: together the ranks see the batches of one process whose budget is ``world_size`` times as
    large. A rank that no row is left for gets a batch of nothing, so all take the same number
    of steps.

    Args:
        pools: where the examples come from.
        config: budget and order.
        rank: which share this is.
        world_size: how many shares there are.
    """

    def __init__(
        self, pools: Pools[B], config: BatchConfig, *, rank: int = 0, world_size: int = 1
    ) -> None:
        if not 0 <= rank < world_size:
            raise RangeError(f"rank must lie in 0…{world_size - 1}, got {rank} of {world_size}")
        self.pools = pools
        self.config = config
        self.rank = rank
        self.world_size = world_size
        self.position = Position()

    def __iter__(self) -> Iterator[B]:
        """What is left of the epoch."""
        while self.pools.count is None or self.position.pool < self.pools.count:
            yield from self._rest_of_the_pool()
            self.position = Position(self.position.epoch, self.position.pool + 1)
        self.position = Position(self.position.epoch + 1)

    def state_dict(self) -> dict[str, Any]:
        """Where the next batch is, as plain JSON."""
        return {"format": FORMAT, **self._identity(), **self.position._asdict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken.

        The number of ranks may differ if the budget of all together is the same.

        Raises:
            InputError: the state is of other data or of other settings.
        """
        for name, here in {"format": FORMAT, **self._identity()}.items():
            if state.get(name) != here:
                raise InputError(
                    f"the position in the data was saved with {name} {state.get(name)!r}, but now "
                    f"it is {here!r}; resume with the data and settings of the run"
                )
        numbers = [state.get(name) for name in Position._fields]
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise InputError(f"a position needs epoch, pool and batch, got {numbers}")
        self.position = Position._make(numbers)

    def _identity(self) -> dict[str, Any]:
        rows = self.config.max_rows
        return {
            "data": self.pools.identity,
            "tokens_of_all_ranks": self.config.max_tokens * self.world_size,
            "rows_of_all_ranks": None if rows is None else rows * self.world_size,
            "order": self.config.order,
            "seed": self.config.seed,
        }

    def _rest_of_the_pool(self) -> Iterator[B]:
        epoch, number, start = self.position
        pool = self.pools.pool(epoch, number, self._generator(epoch))
        counts = pool.corpus.counts[pool.rows]
        for batch, chosen in enumerate(self._plan(pool, counts, epoch, number)):
            if batch >= start:
                self.position = Position(epoch, number, batch + 1)
                mine = chosen[self.rank :: self.world_size]
                yield pool.corpus.batch(
                    pool.rows[mine],
                    indices=pool.indices[mine],
                    num_targets=int(counts[chosen].sum()),
                )

    def _plan(self, pool: Pool[B], counts: Positions, epoch: int, number: int) -> list[Positions]:
        """The batches of a pool, as positions in it."""
        steps = pool.corpus.steps[pool.rows]
        order = np.arange(len(steps)) if pool.corpus.mixed else by_length(steps, counts)
        rows = self.config.max_rows
        slices = cut(
            steps[order].tolist(),
            max_tokens=self.config.max_tokens * self.world_size,
            max_rows=None if rows is None else rows * self.world_size,
        )
        generator = self._generator(epoch, number)
        if generator is not None:
            slices = [slices[i] for i in generator.permutation(len(slices))]
        return [order[chosen] for chosen in slices]

    def _generator(self, *place: int) -> np.random.Generator | None:
        """Chance that depends on seed and place only."""
        if self.config.order == "by_length":
            return None
        return np.random.default_rng([self.config.seed, *place])
