"""The decoding loop, with continuous batching: sources begin as others are answered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from regard.types import Float, Int, Tensor

from .batches import PendingBatch, Sources
from .hypothesis import Hypothesis
from .protocol import Joinable, StepDecoder
from .search import Move, Search

WORTH_JOINING = 7 / 8
"""Share of the batch that must have become free before others come in: each time costs a start."""


@dataclass(eq=False)
class ActiveBatch:
    """Sentences that began together: rows of the model, side by side."""

    sources: Sources
    search: Search
    rows: int
    open: int
    """Sentences that are not done."""

    def move(self, logits: Float[Tensor, "R V"], looks: Float[Tensor, "R S"] | None) -> Move:
        """What its rows write next; looks may be wider than its own sources."""
        own = None if looks is None else looks[:, : self.sources.width]
        move = self.search.move(logits, own)
        self.rows = len(move.tokens)
        self.open -= len(move.done)
        return move


class StartedBatch(NamedTuple):
    """Sentences before their first step."""

    active: ActiveBatch
    state: Any
    tokens: Int[Tensor, " R"]


class Run:
    """Sentences on their way.

    Args:
        model: what writes.
        pending: what is to be answered.
        begin: a strategy at work on some of it.
        width: rows of a sentence at the start.
        bos: what every row begins with.
        asks: whether strategies are told where rows looked.
    """

    def __init__(
        self,
        model: StepDecoder,
        pending: PendingBatch,
        begin: Callable[[Sources], Search],
        *,
        width: int,
        bos: int,
        asks: bool,
    ) -> None:
        self._model, self._pending, self._begin = model, pending, begin
        self._width, self._bos, self._asks = width, bos, asks
        self._active = list[ActiveBatch]()
        self._state: Any = None
        self._apart: StartedBatch | None = None
        self._joins = False
        self._tokens = torch.empty(0, dtype=torch.long)

    @property
    def over(self) -> bool:
        """Whether everything is answered."""
        return not self._active and not self._pending and self._apart is None

    def until_some_are_done(self) -> list[tuple[int, list[Hypothesis]]]:
        """As many steps as it takes until a sentence is done: numbers and answers of those."""
        done = list[tuple[int, list[Hypothesis]]]()
        while not done and not self.over:
            done = self.one_step()
        return done

    def one_step(self) -> list[tuple[int, list[Hypothesis]]]:
        """One step: numbers and answers of the sentences that are done with it."""
        self._let_in()
        return self._step()

    @property
    def written(self) -> Int[Tensor, " R"]:
        """What the rows that go on wrote last."""
        return self._tokens

    def _let_in(self) -> None:
        """Begin with those who wait, if there is room enough for it to be worth while."""
        inside = sum(active.open for active in self._active)
        widest = max((active.sources.width for active in self._active), default=0)
        room = self._pending.room(widest)
        if not inside:
            self._enter(self._apart or self._started(room))
        elif self._joins and self._pending and inside <= (1 - WORTH_JOINING) * room:
            self._join(self._started(room - inside))

    def _started(self, count: int) -> StartedBatch:
        """The next sentences, with their state before the first token."""
        sources = self._pending.pop(count)
        prompt, count, device = sources.prompt, len(sources.numbers), sources.device
        state = self._model.start(prompt.inputs, prompt.lengths)
        tokens = torch.full((count,), self._bos, device=device)
        tokens = (tokens if prompt.first is None else prompt.first).repeat_interleave(self._width)
        if self._width > 1:
            rows = torch.arange(count, device=device).repeat_interleave(self._width)
            state = state.reorder(rows)
        active = ActiveBatch(sources, self._begin(sources), len(tokens), count)
        return StartedBatch(active, state, tokens)

    def _enter(self, entry: StartedBatch) -> None:
        """Go on with these alone."""
        self._active, self._apart = [entry.active], None
        self._state, self._tokens = entry.state, entry.tokens
        self._joins = isinstance(entry.state, Joinable)

    def _join(self, entry: StartedBatch) -> None:
        """Go on with these too; or, where states cannot go on together, with these next."""
        both = self._state.joined(entry.state)
        if both is None:
            self._apart, self._joins = entry, False
            return
        self._active.append(entry.active)
        self._state, self._tokens = both, torch.cat([self._tokens, entry.tokens])

    def _step(self) -> list[tuple[int, list[Hypothesis]]]:
        logits, self._state = self._model.step(self._tokens, self._state)  # (R, V)
        looks = self._model.last_weights(self._state) if self._asks else None
        sizes = [active.rows for active in self._active]
        each = looks.split(sizes) if looks is not None else [None] * len(sizes)
        moves = [
            active.move(*said)
            for active, *said in zip(self._active, logits.split(sizes), each, strict=True)
        ]
        rows = _rows(moves, sizes)
        self._tokens = moves[0].tokens if len(moves) == 1 else torch.cat([m.tokens for m in moves])
        done = [
            (active.sources.numbers[place], found)
            for active, move in zip(self._active, moves, strict=True)
            for place, found in move.done
        ]
        self._active = [active for active in self._active if active.rows]
        if rows is not None and self._active:
            self._state = self._state.reorder(rows)
        return done


def _rows(moves: list[Move], sizes: list[int]) -> Int[Tensor, " r"] | None:
    """The rows of the model that go on, of all batches; ``None``: all go on as they are."""
    if all(move.rows is None for move in moves):
        return None
    if len(moves) == 1:
        return moves[0].rows
    parts, begin = list[Tensor](), 0
    for move, size in zip(moves, sizes, strict=True):
        own = torch.arange(size, device=move.tokens.device) if move.rows is None else move.rows
        parts.append(own + begin)
        begin += size
    return torch.cat(parts)
