"""One module as the doctor sees it: weights, and all that is known of how they came about."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import torch

from regard.types import Bool, Float, Tensor

from ..decompose import Shares, decompose
from ..maps import Kind, Tokens, plain_tokens

LEAST = 1e-12


class Projection(NamedTuple):
    """A matrix that makes queries, keys or values, and the loss's gradient by it."""

    weight: Tensor
    gradient: Tensor | None


@dataclass(frozen=True, eq=False)
class Chart:
    """One module on one batch.

    Args:
        weights: (B, H, Q, K).
        name: of the module.
        kind: how query and key belong together.
        scores: before mask and softmax.
        allowed: which keys the module let each query see.
        query: vectors that look, (B, H, Q, D).
        key: vectors that are looked at, (B, H, K, Dk).
        value: what is pooled, (B, H, K, E).
        query_side: what stands at the queries.
        key_side: what stands at the keys.
        causal: whether nobody ought to look ahead; ``None`` where that is not known.
        given_mask: the mask as the caller passed it, where it was a tensor.
        dropout: the rate at which weights are dropped as the model stands.
        projections: by ``"query"``, ``"key"``, ``"value"``.
    """

    weights: Float[Tensor, "B H Q K"]
    name: str = ""
    kind: Kind = "self"
    scores: Float[Tensor, "B H Q K"] | None = None
    allowed: Bool[Tensor, "B H Q K"] | None = None
    query: Float[Tensor, "B H Q Dq"] | None = None
    key: Float[Tensor, "B H K Dk"] | None = None
    value: Float[Tensor, "B H K E"] | None = None
    query_side: Tokens | None = None
    key_side: Tokens | None = None
    causal: bool | None = None
    given_mask: Tensor | None = None
    dropout: float = 0.0
    projections: dict[str, Projection] = field(default_factory=dict)

    @property
    def queries(self) -> Tokens:
        """What stands at the queries."""
        batch, _, count, _ = self.weights.shape
        return self.query_side or plain_tokens(batch, count)

    @property
    def keys(self) -> Tokens:
        """What stands at the keys."""
        batch, _, _, count = self.weights.shape
        return self.key_side or plain_tokens(batch, count)

    @cached_property
    def real(self) -> Bool[Tensor, "B 1 Q 1"]:
        """Queries that are no padding."""
        return self.queries.real[:, None, :, None]

    @cached_property
    def padding(self) -> Bool[Tensor, "B 1 1 K"]:
        """Keys that are padding."""
        return ~self.keys.real[:, None, None, :]

    @cached_property
    def future(self) -> Bool[Tensor, "Q K"]:
        """Keys behind the query."""
        queries, keys = self.weights.shape[-2:]
        return torch.ones(queries, keys, dtype=torch.bool, device=self.weights.device).triu(1)

    @cached_property
    def expected(self) -> Bool[Tensor, "B 1 Q K"]:
        """Keys that a query ought to be able to see."""
        batch, _, queries, keys = self.weights.shape
        found = (~self.padding).expand(batch, 1, queries, keys)
        return found & ~self.future if self.causal else found

    @cached_property
    def seen(self) -> Bool[Tensor, "B H Q K"]:
        """Pairs that did attend, of queries that are no padding."""
        allowed = self.expected if self.allowed is None else self.allowed
        return (allowed & self.real).expand(self.weights.shape)

    @cached_property
    def rows(self) -> Bool[Tensor, "B H Q"]:
        """Queries that had a choice."""
        return self.seen.sum(dim=-1) > 1

    @cached_property
    def entropies(self) -> Float[Tensor, " H"]:
        """U: mean entropy over ln of the keys, of every head; NaN where nobody had a choice."""
        keys = self.seen.sum(dim=-1).clamp(min=2)
        entropy = torch.special.entr(self.weights.clamp(min=0)).sum(dim=-1) / keys.log()
        return self.over_rows(entropy)

    @cached_property
    def openness(self) -> Float[Tensor, " H"]:
        """Mean of 1 − Σ α²: 0 where every row is on one key."""
        return self.over_rows(1 - self.weights.square().sum(dim=-1))

    @cached_property
    def certain(self) -> Float[Tensor, " H"]:
        """Share of rows whose largest weight is 0.99 and more."""
        return self.over_rows((self.weights.amax(dim=-1) >= 0.99).to(self.weights.dtype))

    @cached_property
    def shares(self) -> Shares | None:
        """What every head looks by, over the batch."""
        if self.scores is None or not self.rows.any():
            return None
        held = self.scores.masked_fill(~self.seen, 0)
        if not torch.isfinite(held).all():
            return None
        return decompose(held, self.seen).over(0)

    @cached_property
    def slope(self) -> float | None:
        """By how much a score grows with q · k; ``None`` where it is no product."""
        if self.scores is None or self.query is None or self.key is None:
            return None
        if self.query.shape[-1] != self.key.shape[-1]:
            return None
        product = (self.query @ self.key.transpose(-1, -2)).double()
        if product.shape != self.scores.shape:
            return None
        x, y = product[self.seen], self.scores.double()[self.seen]
        if len(x) < 4 or float(x.var()) < LEAST or not torch.isfinite(y).all():
            return None
        x, y = x - x.mean(), y - y.mean()
        slope = float((x * y).sum() / x.square().sum())
        left = float((y - slope * x).square().sum() / y.square().sum().clamp(min=LEAST))
        return slope if left < 0.1 else None

    @cached_property
    def ratio(self) -> float | None:
        """ρ: how much queries and keys learn beside values, relative to their own sizes."""
        wanted = [self.projections.get(name) for name in ("query", "key", "value")]
        rates = [_rate(one) for one in wanted if one is not None]
        if len(rates) < 3 or any(rate is None for rate in rates):
            return None
        query, key, value = (rate or 0.0 for rate in rates)
        return max(query, key) / value if value else None

    def over_rows(self, x: Float[Tensor, "B H Q"]) -> Float[Tensor, " H"]:
        """The mean over queries that had a choice."""
        rows = self.rows
        total = x.double().masked_fill(~rows, 0).sum(dim=(0, 2))
        count = rows.sum(dim=(0, 2)).double()
        return torch.where(count > 0, total / count.clamp(min=1), torch.nan)


def residual_ratio(x: Float[Tensor, "B H N D"], real: Bool[Tensor, "B N"]) -> float:
    r"""How far vectors are from being all the same: ‖X − 1x̄ᵀ‖ / ‖X‖, of each sequence and head."""
    there = real[:, None, :, None].to(torch.float64)
    wide = x.double() * there
    mean = wide.sum(dim=-2, keepdim=True) / there.sum(dim=-2, keepdim=True).clamp(min=1)
    apart = ((wide - mean) * there).square().sum(dim=(-2, -1)).sqrt()
    size = wide.square().sum(dim=(-2, -1)).sqrt()
    several = (real.sum(dim=-1) > 1)[:, None].expand_as(size)
    found = (apart / size.clamp(min=LEAST))[several]
    return float(found.mean()) if found.numel() else 1.0


def _rate(projection: Projection) -> float | None:
    if projection.gradient is None:
        return None
    size = float(projection.weight.norm())
    return float(projection.gradient.norm()) / size if size else None
