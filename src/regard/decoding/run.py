"""The loop: the model says, the strategy chooses, and whoever waits comes in as others leave."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from regard.types import Float, Int, Tensor

from .batches import Sources, Waiting
from .hypothesis import Hypothesis
from .protocol import StepDecoder
from .search import Move, Search

WORTH_JOINING = 7 / 8
"""Share of the batch that must have become free before others come in: each time costs a start."""


@dataclass(eq=False)
class Party:
    """Sentences that began together: rows of the model, side by side."""

    sources: Sources
    search: Search
    rows: int
    open: int
    """Sentences that are not done."""

    def move(self, logits: Float[Tensor, "R V"], looks: Float[Tensor, "R S"] | None) -> Move:
        """What its rows write next; looks may be wider than its own sources."""
        own = None if looks is None else looks[:, : self.sources.tokens.shape[1]]
        move = self.search.move(logits, own)
        self.rows = len(move.tokens)
        self.open -= len(move.done)
        return move


class Entry(NamedTuple):
    """A party before its first step."""

    party: Party
    state: Any
    tokens: Int[Tensor, " R"]


class Run:
    """Sentences on their way.

    Args:
        model: what writes.
        waiting: what is to be answered.
        begin: a strategy at work on some of it.
        width: rows of a sentence at the start.
        bos: what every row begins with.
        asks: whether strategies are told where rows looked.
    """

    def __init__(
        self,
        model: StepDecoder,
        waiting: Waiting,
        begin: Callable[[Sources], Search],
        *,
        width: int,
        bos: int,
        asks: bool,
    ) -> None:
        self._model, self._waiting, self._begin = model, waiting, begin
        self._width, self._bos, self._asks = width, bos, asks
        self._parties = list[Party]()
        self._state: Any = None
        self._apart: Entry | None = None
        self._joins = False
        self._tokens = torch.empty(0, dtype=torch.long)

    @property
    def over(self) -> bool:
        """Whether everything is answered."""
        return not self._parties and not self._waiting and self._apart is None

    def until_some_are_done(self) -> list[tuple[int, list[Hypothesis]]]:
        """As many steps as it takes until a sentence is done: numbers and answers of those."""
        done = list[tuple[int, list[Hypothesis]]]()
        while not done and not self.over:
            self._let_in()
            done = self._step()
        return done

    def _let_in(self) -> None:
        """Begin with those who wait, if there is room enough for it to be worth while."""
        inside = sum(party.open for party in self._parties)
        widest = max((party.sources.tokens.shape[1] for party in self._parties), default=0)
        room = self._waiting.room(widest)
        if not inside:
            self._enter(self._apart or self._started(room))
        elif self._joins and self._waiting and inside <= (1 - WORTH_JOINING) * room:
            self._join(self._started(room - inside))

    def _started(self, count: int) -> Entry:
        """The next sentences, with their state before the first token."""
        sources = self._waiting.taken(count)
        state = self._model.start(sources.tokens, sources.lengths)
        count, device = len(sources.numbers), sources.tokens.device
        if self._width > 1:
            rows = torch.arange(count, device=device).repeat_interleave(self._width)
            state = state.reorder(rows)
        tokens = torch.full((count * self._width,), self._bos, device=device)
        return Entry(Party(sources, self._begin(sources), len(tokens), count), state, tokens)

    def _enter(self, entry: Entry) -> None:
        """Go on with these alone."""
        self._parties, self._apart = [entry.party], None
        self._state, self._tokens = entry.state, entry.tokens
        self._joins = hasattr(entry.state, "joined")

    def _join(self, entry: Entry) -> None:
        """Go on with these too; or, where states cannot go on together, with these next."""
        both = self._state.joined(entry.state)
        if both is None:
            self._apart, self._joins = entry, False
            return
        self._parties.append(entry.party)
        self._state, self._tokens = both, torch.cat([self._tokens, entry.tokens])

    def _step(self) -> list[tuple[int, list[Hypothesis]]]:
        logits, self._state = self._model.step(self._tokens, self._state)
        looks = self._model.last_weights(self._state) if self._asks else None
        sizes = [party.rows for party in self._parties]
        each = looks.split(sizes) if looks is not None else [None] * len(sizes)
        moves = [
            party.move(*said)
            for party, *said in zip(self._parties, logits.split(sizes), each, strict=True)
        ]
        rows = _rows(moves, sizes)
        self._tokens = moves[0].tokens if len(moves) == 1 else torch.cat([m.tokens for m in moves])
        done = [
            (party.sources.numbers[place], found)
            for party, move in zip(self._parties, moves, strict=True)
            for place, found in move.done
        ]
        self._parties = [party for party in self._parties if party.rows]
        if rows is not None and self._parties:
            self._state = self._state.reorder(rows)
        return done


def _rows(moves: list[Move], sizes: list[int]) -> Int[Tensor, " r"] | None:
    """The rows of the model that go on, of all parties; ``None``: all go on as they are."""
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
