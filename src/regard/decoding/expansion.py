"""One step of beam search: which continuations there are, which go on, what a group puts aside."""

from typing import NamedTuple

import numpy as np

from regard.types import Bool, Float, Int, Tensor

from .top_k import Array, highest, top, whole


class Expanded(NamedTuple):
    """Continuations of a group's hypotheses that can matter, C of them."""

    log_probs: Float[Array, "B C"]
    tokens: Int[Array, "B C"]
    rows: Int[Array, "B C"]
    """The row of the model that each goes on from."""


class Selected(NamedTuple):
    """Continuations of one group that go on, and those among the likeliest that may end."""

    rows: Int[Array, "B k"]
    tokens: Int[Array, "B k"]
    log_probs: Float[Array, "B k"]
    """-∞ where there is no such continuation."""
    ends: Bool[Array, "B e"]
    """Which of the likeliest continuations are the end of the sentence."""
    end_rows: Int[Array, "B e"]
    end_tokens: Int[Array, "B e"]
    end_log_probs: Float[Array, "B e"]


def expand(
    logits: Float[Tensor, "R V"],
    total: Float[Tensor, "R 1"],
    log_probs: Float[Array, "B G b"],
    *,
    size: int,
    ends: int = 1,
) -> list[Expanded]:
    """The likeliest continuations of every hypothesis, group by group.

    A group looks at as many that k are left if all its ``ends`` are among them; and it may have to
    do without the tokens of all groups before it, the end of the sentence among them.
    """
    count, groups = log_probs.shape[:2]
    others = (groups - 1) * size + 1 if groups > 1 else 0
    found = top(logits, (1 + max(1, ends)) * size + others)  # (R, C)
    gained = whole(found.values).astype(np.float64) - whole(total)
    sums = log_probs.reshape(-1, 1) + gained  # (R, C)
    rows = np.broadcast_to(np.arange(len(sums))[:, None], sums.shape)
    parts = [part.reshape(count, groups, -1) for part in (sums, whole(found.indices), rows)]
    return [Expanded(*(part[:, group] for part in parts)) for group in range(groups)]


def select(
    own: Expanded, cost: Float[Array, "B C"] | float, eos: tuple[int, ...], *, size: int
) -> Selected:
    """What goes on and what ends, by what is left of its probability after ``cost``."""
    worth = own.log_probs - cost
    places = highest(worth, (1 + max(1, len(eos))) * size)  # (B, c)
    each = np.arange(len(worth))[:, None]
    log_probs, tokens, rows = (part[each, places] for part in own)
    is_end = np.isin(tokens, eos)
    ends = (is_end & (log_probs > -np.inf))[:, :size]
    going = highest(np.where(is_end, -np.inf, worth[each, places]), size)  # (B, k)
    return Selected(
        rows[each, going],
        tokens[each, going],
        np.where(is_end, -np.inf, log_probs)[each, going],
        ends,
        rows[:, :size],
        tokens[:, :size],
        log_probs[:, :size],
    )


def repeated(tokens: Int[Array, "B C"], written: list[Int[Array, "B n"]]) -> Int[Array, "B C"]:
    """How often each token is among those ``written``."""
    same = tokens[..., None] == np.concatenate(written, axis=-1)[:, None]
    return np.asarray(same.sum(axis=-1))


NOTHING = -1
"""In the place of a token that nobody wrote."""


class Group:
    """One group of hypotheses of each sentence; from the first step on ``size`` of them, k.

    A group closes when as many of its hypotheses have ended, or when the limit cuts those that are
    open. It is beaten when none of these can come among the best any more: it need not go on for
    its own sake, but as long as others do its tokens count, so that what these find does not
    depend on how many are given back.

    Args:
        sentences: how many there are.
        size: hypotheses that go on.
        kept: how many of those that have ended can be given back.
    """

    def __init__(self, sentences: int, *, size: int, kept: int) -> None:
        self._size = size
        self.log_probs: Float[Array, "B b"] = np.zeros((sentences, 1))
        self._best: Float[Array, "B n"] = np.full((sentences, kept), -np.inf)
        self._ended = np.zeros(sentences, dtype=np.int64)
        self.closed: Bool[Array, " B"] = np.zeros(sentences, dtype=bool)
        self._beaten = np.zeros(sentences, dtype=bool)

    @property
    def over(self) -> Bool[Array, " B"]:
        """Where it needs no further step."""
        return self.closed | self._beaten

    def put_aside(self, ended: Bool[Array, "B e"], scores: Float[Array, " E"]) -> None:
        """Count what ends here; ``scores`` are those of ``ended``."""
        table = np.full(ended.shape, -np.inf)
        table[ended] = scores
        kept = self._best.shape[-1]
        self._best = -np.sort(-np.concatenate([self._best, table], axis=-1))[:, :kept]
        self._ended = self._ended + ended.sum(axis=-1)

    def go_on(self, chosen: Selected, possible: Float[Array, " B"]) -> Bool[Array, "B k"]:
        """Close where enough have ended, and tell which of ``chosen`` go on.

        Args:
            chosen: what there is to go on with.
            possible: the best score that one of these can end with.
        """
        self.log_probs = chosen.log_probs
        self.closed = self.closed | (self._ended >= self._size)
        going = (chosen.log_probs > -np.inf) & ~self.closed[:, None]
        self.closed = self.closed | ~going.any(axis=-1)
        self._beaten = self._best[:, -1] >= possible
        return going

    def leave(self, kept: Bool[Array, " B"]) -> None:
        """Go on with these sentences only."""
        self.log_probs, self._best = self.log_probs[kept], self._best[kept]
        self._ended, self.closed = self._ended[kept], self.closed[kept]
        self._beaten = self._beaten[kept]


def written(
    chosen: Selected, ended: Bool[Array, "B e"], going: Bool[Array, "B k"]
) -> Int[Array, "B n"]:
    """The token of every hypothesis that ends or goes on."""
    ends = np.where(ended, chosen.end_tokens, NOTHING)
    return np.concatenate([ends, np.where(going, chosen.tokens, NOTHING)], axis=-1)
