"""One step of beam search without its memory: which continuations there are, and which go on."""

from typing import NamedTuple

import numpy as np

from regard.types import Bool, Float, Int, Tensor

from .arrays import Array, highest, whole
from .top_k import top


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
    found = top(logits, (1 + max(1, ends)) * size + others)
    gained = whole(found.values).astype(np.float64) - whole(total)
    sums = log_probs.reshape(-1, 1) + gained
    rows = np.broadcast_to(np.arange(len(sums))[:, None], sums.shape)
    parts = [part.reshape(count, groups, -1) for part in (sums, whole(found.indices), rows)]
    return [Expanded(*(part[:, group] for part in parts)) for group in range(groups)]


def select(
    own: Expanded, cost: Float[Array, "B C"] | float, eos: tuple[int, ...], *, size: int
) -> Selected:
    """What goes on and what ends, by what is left of its probability after ``cost``."""
    worth = own.log_probs - cost
    places = highest(worth, (1 + max(1, len(eos))) * size)
    each = np.arange(len(worth))[:, None]
    log_probs, tokens, rows = (part[each, places] for part in own)
    is_end = np.isin(tokens, eos)
    ends = (is_end & (log_probs > -np.inf))[:, :size]
    going = highest(np.where(is_end, -np.inf, worth[each, places]), size)
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
