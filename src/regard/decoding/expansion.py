"""One step of beam search without its memory: which continuations there are, and which go on."""

from typing import NamedTuple

import torch

from regard.types import Bool, Float, Int, Tensor

from .top import top


class Expanded(NamedTuple):
    """Continuations of each group's hypotheses that can matter, C of them."""

    log_probs: Float[Tensor, "B G C"]
    tokens: Int[Tensor, "B G C"]
    rows: Int[Tensor, "B G C"]
    """The row of the model that each goes on from."""


class Selected(NamedTuple):
    """Continuations that go on, and those among the likeliest that may end."""

    rows: Int[Tensor, "B G k"]
    tokens: Int[Tensor, "B G k"]
    log_probs: Float[Tensor, "B G k"]
    """-∞ where there is no such continuation."""
    ends: Bool[Tensor, "B G e"]
    """Which of the likeliest continuations are the end of the sentence."""
    end_rows: Int[Tensor, "B G e"]
    end_log_probs: Float[Tensor, "B G e"]


def expand(
    logits: Float[Tensor, "R V"],
    total: Float[Tensor, "R 1"],
    log_probs: Float[Tensor, "B G b"],
    *,
    size: int,
) -> Expanded:
    """The likeliest continuations of every hypothesis.

    A group looks at its 2k likeliest, so that k are left if k of them end; and it may have to do
    without the tokens of all groups before it.
    """
    count, groups = log_probs.shape[:2]
    found = top(logits, 2 * size + (groups - 1) * size)
    sums = log_probs.flatten().unsqueeze(-1) + (found.values.double() - total)
    rows = torch.arange(len(logits), device=logits.device).unsqueeze(-1).expand_as(sums)
    parts = (sums, found.indices, rows)
    return Expanded(*(part.reshape(count, groups, -1) for part in parts))


def select(expanded: Expanded, eos: int, *, size: int, diversity: float) -> Selected:
    """What goes on and what ends, group by group."""
    groups = expanded.tokens.shape[1]
    chosen = list[Selected]()
    for group in range(groups):
        own = Expanded(*(part[:, group] for part in expanded))
        cost = diversity * _repeated(own.tokens, chosen) if chosen else None
        chosen.append(_select(own, cost, eos, size))
    if groups == 1:
        return Selected(*(part.unsqueeze(1) for part in chosen[0]))
    return Selected(*(torch.stack(parts, dim=1) for parts in zip(*chosen, strict=True)))


def _select(own: Expanded, cost: Float[Tensor, "B C"] | None, eos: int, size: int) -> Selected:
    """What one group of each sentence chooses."""
    worth = own.log_probs if cost is None else own.log_probs - cost
    worth, places = worth.topk(min(2 * size, worth.shape[-1]), dim=-1)
    log_probs, tokens, rows = (part.gather(-1, places) for part in own)
    is_end = tokens == eos
    ends = (is_end & (log_probs > -torch.inf))[:, :size]
    going = worth.masked_fill(is_end, -torch.inf).topk(min(size, worth.shape[-1]), dim=-1).indices
    return Selected(
        rows.gather(-1, going),
        tokens.gather(-1, going),
        log_probs.masked_fill(is_end, -torch.inf).gather(-1, going),
        ends,
        rows[:, :size],
        log_probs[:, :size],
    )


def _repeated(tokens: Int[Tensor, "B C"], chosen: list[Selected]) -> Float[Tensor, "B C"]:
    """How many hypotheses of the groups before wrote each token in this step."""
    earlier = torch.cat([group.tokens for group in chosen], dim=-1)  # (B, k)
    return (tokens.unsqueeze(-1) == earlier.unsqueeze(-2)).sum(dim=-1).double()
