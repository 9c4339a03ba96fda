"""Statistics of an attention map, such as entropy and distance, without holding the map."""

from math import nan
from typing import NamedTuple

import torch

from regard.notebook import table
from regard.types import Float, Tensor

from .engine.call import outside_autocast, prepare
from .engine.rows import walk
from .forms import Tile
from .masks import Mask
from .normalisers import Normaliser
from .scores import ScoreLike


class Statistics(NamedTuple):
    """Five views of one map of attention weights.

    Per query, of its shares p = \\|α\\| / Σ\\|α\\| (a query that attends to nothing gets zeros):
    ``entropy`` −Σ p ln p in nats, ``effective_keys`` = exp(entropy), and ``distance``, the mean of
    \\|key − query\\| in positions; beside them the ``maximum`` weight α as it is. Shares are the
    weights themselves where those are a distribution; a negative weight counts by its size. Per
    key: ``column_mass``, the sum of the weights it receives from all queries.
    """

    entropy: Float[Tensor, "*B Q"]
    maximum: Float[Tensor, "*B Q"]
    effective_keys: Float[Tensor, "*B Q"]
    distance: Float[Tensor, "*B Q"]
    column_mass: Float[Tensor, "*B K"]

    def __repr__(self) -> str:
        told = (f"{name} {shape} mean {mean}" for name, shape, _, mean, _ in self._summary())
        return f"Statistics({', '.join(told)})"

    def _repr_html_(self) -> str:
        return table(("", "shape", "least", "mean", "most"), self._summary())

    def _summary(self) -> list[tuple[str, str, str, str, str]]:
        """Name, shape, least, mean and most of every part."""
        found = []
        for name, part in self._asdict().items():
            some = part.detach().double() if part.numel() else part.new_tensor([nan])
            least, mean, most = (f"{n.item():.4g}" for n in (some.min(), some.mean(), some.max()))
            found.append((name, str(tuple(part.shape)), least, mean, most))
        return found


@outside_autocast
@torch.no_grad()
def statistics(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#G K Dk"],
    *,
    score: ScoreLike = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
) -> Statistics:
    """Entropy, maximum, effective number of keys, distance and column mass of the weights.

    Arguments as in :func:`regard.weigh`. Memory is linear in Q and K; no gradient.
    """
    call = prepare(query, key, key, score, mask, normalise).drawn()
    leading = call.leading
    mass = call.widened().query.new_zeros(*leading, call.num_keys)
    views = [mass.new_zeros(*leading, 4, 0)]
    for at, weights in walk(call, range(call.num_queries)):
        views.append(_per_query(weights, at, call.num_keys))
        mass.index_add_(-1, at.columns, weights.sum(dim=-2).expand(*leading, -1))
    entropy, maximum, effective, distance = torch.cat(views, dim=-1).unbind(dim=-2)
    return Statistics(entropy, maximum, effective, distance, mass)


def statistics_of(weights: Float[Tensor, "*B Q K"]) -> Statistics:
    """The statistics of a map that is there."""
    *_, queries, keys = weights.shape
    views = _per_query(weights, Tile(range(queries), range(keys), weights.device), keys)
    entropy, maximum, effective, distance = views.unbind(dim=-2)
    return Statistics(entropy, maximum, effective, distance, weights.sum(dim=-2))


def _per_query(
    weights: Float[Tensor, "*B r c"], at: Tile, num_keys: int
) -> Float[Tensor, "*B 4 r"]:
    if not weights.shape[-1]:
        return weights.new_zeros(*weights.shape[:-2], 4, weights.shape[-2])
    sizes = weights.abs()
    total = sizes.sum(dim=-1, keepdim=True)
    shares = sizes / total.masked_fill(total == 0, 1)
    entropy = torch.special.entr(shares).sum(dim=-1)
    effective = entropy.exp() * (total.squeeze(-1) != 0)
    distance = (shares * at.offsets.abs()).sum(dim=-1)
    maximum = weights.amax(dim=-1)
    if weights.shape[-1] < num_keys:
        maximum = maximum.clamp(min=0)  # the weight of the keys that were left out
    return torch.stack([entropy, maximum, effective, distance], dim=-2)
