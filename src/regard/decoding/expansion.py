"""One step of beam search without its memory: which continuations there are, and which go on."""

from typing import NamedTuple

import numpy as np

from regard.types import Bool, Float, Int, Tensor

from .small import Array, highest, whole
from .top import top


class Expanded(NamedTuple):
    """Continuations of each group's hypotheses that can matter, C of them."""

    log_probs: Float[Array, "B G C"]
    tokens: Int[Array, "B G C"]
    rows: Int[Array, "B G C"]
    """The row of the model that each goes on from."""


class Selected(NamedTuple):
    """Continuations that go on, and those among the likeliest that may end."""

    rows: Int[Array, "B G k"]
    tokens: Int[Array, "B G k"]
    log_probs: Float[Array, "B G k"]
    """-∞ where there is no such continuation."""
    ends: Bool[Array, "B G e"]
    """Which of the likeliest continuations are the end of the sentence."""
    end_rows: Int[Array, "B G e"]
    end_log_probs: Float[Array, "B G e"]


def expand(
    logits: Float[Tensor, "R V"],
    total: Float[Tensor, "R 1"],
    log_probs: Float[Array, "B G b"],
    *,
    size: int,
) -> Expanded:
    """The likeliest continuations of every hypothesis.

    A group looks at its 2k likeliest, so that k are left if k of them end; and it may have to do
    without the tokens of all groups before it.
    """
    count, groups = log_probs.shape[:2]
    found = top(logits, 2 * size + (groups - 1) * size)
    gained = whole(found.values).astype(np.float64) - whole(total)
    sums = log_probs.reshape(-1, 1) + gained
    rows = np.broadcast_to(np.arange(len(sums))[:, None], sums.shape)
    parts = (sums, whole(found.indices), rows)
    return Expanded(*(part.reshape(count, groups, -1) for part in parts))


def select(expanded: Expanded, eos: int, *, size: int, diversity: float) -> Selected:
    """What goes on and what ends, group by group."""
    chosen = list[Selected]()
    for group in range(expanded.tokens.shape[1]):
        own = Expanded(*(part[:, group] for part in expanded))
        cost = diversity * _repeated(own.tokens, chosen) if chosen else None
        chosen.append(_select(own, cost, eos, size))
    return Selected(*(np.stack(parts, axis=1) for parts in zip(*chosen, strict=True)))


def _select(own: Expanded, cost: Float[Array, "B C"] | None, eos: int, size: int) -> Selected:
    """What one group of each sentence chooses."""
    worth = own.log_probs if cost is None else own.log_probs - cost
    places = highest(worth, 2 * size)
    each = np.arange(len(worth))[:, None]
    log_probs, tokens, rows = (part[each, places] for part in own)
    is_end = tokens == eos
    ends = (is_end & (log_probs > -np.inf))[:, :size]
    going = highest(np.where(is_end, -np.inf, worth[each, places]), size)
    return Selected(
        rows[each, going],
        tokens[each, going],
        np.where(is_end, -np.inf, log_probs)[each, going],
        ends,
        rows[:, :size],
        log_probs[:, :size],
    )


def _repeated(tokens: Int[Array, "B C"], chosen: list[Selected]) -> Float[Array, "B C"]:
    """How many hypotheses of the groups before wrote each token in this step."""
    earlier = np.concatenate([group.tokens for group in chosen], axis=-1)  # (B, k)
    same = tokens[..., None] == earlier[:, None]
    return np.asarray(same.sum(axis=-1), dtype=np.float64)
