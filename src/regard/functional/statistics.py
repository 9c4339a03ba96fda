"""What a map of weights is like, without the map."""

from typing import NamedTuple

import torch

from regard.types import Float, Tensor

from .engine.autocast import outside_autocast
from .engine.rows import walk
from .engine.task import prepare
from .forms import At
from .masks import Mask
from .normalisers import Normaliser
from .scores import Score


class Statistics(NamedTuple):
    """Five views of one map of attention weights.

    Per query, of its weights scaled to sum to one (a query that attends to nothing gets zeros):
    ``entropy`` in nats, the ``maximum`` weight as it is, ``effective_keys`` = exp(entropy), and
    ``distance``, the mean of \\|key − query\\| in positions. Per key: ``column_mass``, the sum of
    the weights it receives from all queries.
    """

    entropy: Float[Tensor, "*B Q"]
    maximum: Float[Tensor, "*B Q"]
    effective_keys: Float[Tensor, "*B Q"]
    distance: Float[Tensor, "*B Q"]
    column_mass: Float[Tensor, "*B K"]


@outside_autocast
@torch.no_grad()
def statistics(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#B K Dk"],
    *,
    score: Score | str = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
) -> Statistics:
    """Entropy, maximum, effective number of keys, distance and column mass of the weights.

    Arguments as in :func:`regard.weigh`. Memory is linear in Q and K; no gradient.
    """
    task = prepare(query, key, key, score, mask, normalise).drawn()
    leading = task.leading
    mass = task.widened().query.new_zeros(*leading, task.num_keys)
    views = [mass.new_zeros(*leading, 4, 0)]
    for at, weights in walk(task, range(task.num_queries)):
        views.append(_per_query(weights, at))
        mass.index_add_(-1, at.columns, weights.sum(dim=-2).expand(*leading, -1))
    entropy, maximum, effective, distance = torch.cat(views, dim=-1).unbind(dim=-2)
    return Statistics(entropy, maximum, effective, distance, mass)


def _per_query(weights: Float[Tensor, "*B r c"], at: At) -> Float[Tensor, "*B 4 r"]:
    if not weights.shape[-1]:
        return weights.new_zeros(*weights.shape[:-2], 4, weights.shape[-2])
    total = weights.sum(dim=-1, keepdim=True)
    shares = weights / total.masked_fill(total == 0, 1)
    entropy = torch.special.entr(shares).sum(dim=-1)
    effective = entropy.exp() * (total.squeeze(-1) != 0)
    distance = (shares * at.offsets.abs()).sum(dim=-1)
    return torch.stack([entropy, weights.amax(dim=-1), effective, distance], dim=-2)
