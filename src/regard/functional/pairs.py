"""Scores and permissions of pairs, as many rows of them as are asked for."""

import torch

from regard.types import Float, Tensor

from .engine.call import Call, outside_autocast, prepare
from .engine.rows import scored_rows
from .forms import Tile
from .index import Index, picked, take
from .masks import Mask
from .scores import ScoreLike


@outside_autocast
def pair_scores(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#G K Dk"],
    *,
    score: ScoreLike = "scaled_dot",
    rows: Index | None = None,
    heads: Index | None = None,
) -> Tensor:
    """The scores before mask and normaliser, of every pair of these rows.

    Arguments as in :func:`regard.weigh`; only what is asked for is computed and held.
    """
    call = prepare(query, key, key, score, None, "softmax")
    chosen_rows, drop_row = picked("rows", rows, call.num_queries)
    chosen, drop_head = _heads(heads, call)
    found = list(scored_rows(call, chosen_rows, chosen))
    leading = call.leading if chosen is None else (*call.leading[:-1], len(chosen))
    empty = call.widened().query.new_zeros(*leading, 0, call.num_keys)
    scores = torch.cat([x.expand(*leading, *x.shape[-2:]) for x in found] or [empty], dim=-2)
    scores = scores.squeeze(-3) if drop_head else scores
    return scores.squeeze(-2) if drop_row else scores


def pair_mask(
    mask: Mask | None,
    leading: tuple[int, ...],
    num_queries: int,
    num_keys: int,
    *,
    rows: Index | None = None,
    heads: Index | None = None,
    device: torch.device,
) -> Tensor:
    """Which pairs of these rows may attend, over all leading axes of the scores."""
    chosen, drop_row = picked("rows", rows, num_queries)
    shape = (*leading, len(chosen), num_keys)
    if mask is None:
        allowed = torch.ones(1, dtype=torch.bool, device=device).expand(shape)
    else:
        at = Tile(chosen, range(num_keys), device)
        allowed = mask.allowed(at, axes=len(leading) + 2).expand(shape)
    allowed = take(allowed, "heads", heads, -3)
    return allowed.squeeze(-2) if drop_row else allowed


def _heads(heads: Index | None, call: Call) -> tuple[Tensor | None, bool]:
    if heads is None or not call.leading:
        return None, False
    chosen, dropped = picked("heads", heads, call.leading[-1])
    index = torch.as_tensor(list(chosen)) if isinstance(chosen, range) else chosen
    return index.to(call.query.device), dropped
