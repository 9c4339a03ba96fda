"""Terms of where query and key stand: ALiBi, relative positions, centres, a number per pair."""

from dataclasses import dataclass
from math import ceil, log2

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.types import Float, Int, Tensor

from ..forms import Form, Pairs, Positional, Tile, Vectors, leading_axes
from ..masks import Mask
from ..tensors import broadcasts
from ..value import require_whole
from .base import (
    Keys,
    PositionTerm,
    Queries,
    Score,
    as_scalar,
    num_heads,
    require_parameter,
    require_positive,
)


def alibi_slopes(num_heads: int) -> Float[Tensor, " H"]:
    r"""The slope of each head: a geometric sequence from :math:`2^{-8/H}` down to 1/256.

    Where ``num_heads`` is no power of two, the sequence of the power below, then every other
    slope of the power above, as the authors' code does.
    """
    power = 2 ** int(log2(num_heads))
    slopes = _geometric(power)
    if power < num_heads:
        slopes += _geometric(2 ** ceil(log2(num_heads)))[::2][: num_heads - power]
    return torch.tensor(slopes, dtype=torch.float64)


def _geometric(count: int) -> list[float]:
    return [2.0 ** (-8.0 * (i + 1) / count) for i in range(count)]


@dataclass(frozen=True, eq=False, repr=False)
class Alibi(PositionTerm):
    r"""A penalty that grows with the distance, at another rate in every head.

    .. math:: b_{hqk} = -m_h \, |q - k|

    Press et al. 2022, section 3 (https://arxiv.org/abs/2108.12409). Below the diagonal (causal
    masks) it is one number per key plus a row constant, so it runs fused.

    Args:
        num_heads: size of the axis before the queries, (…, H, Q, K).
    """

    num_heads: int

    name = "alibi"
    step = "s = −slope · |i − j|"

    def __post_init__(self) -> None:
        require_whole(self.name, "num_heads", self.num_heads)
        if self.num_heads < 1:
            raise RangeError(f"alibi needs num_heads of at least 1, got {self.num_heads}")

    def check(self, query: Queries, key: Keys) -> None:
        """The last leading axis must be the heads."""
        if num_heads(query, key) != self.num_heads:
            raise ShapeError(
                f"alibi needs {self.num_heads} heads on the axis before the positions, "
                f"got query {tuple(query.shape)} and key {tuple(key.shape)}"
            )

    def form(self, query: Queries, key: Keys) -> Form:
        """Slope times distance."""
        slopes = alibi_slopes(self.num_heads).to(query).view(-1, 1, 1)
        return Positional(leading_axes(query, key), _penalty, shared=(slopes,))

    def is_key_bias(self, mask: Mask | None = None) -> bool:
        """Below the diagonal."""
        return mask is not None and mask.looks_back

    def key_bias(self, query: Queries, key: Keys) -> Float[Tensor, "H K"]:
        """m_h (k − K + 1), counted from the last key: numbers stay small where it matters."""
        length = key.shape[-2]
        back = torch.arange(1 - length, 1, device=key.device, dtype=torch.float64)
        bias = alibi_slopes(self.num_heads).to(back).unsqueeze(-1) * back
        return bias.to(torch.promote_types(query.dtype, torch.float32))


@dataclass(frozen=True, eq=False, repr=False)
class Relative(PositionTerm):
    r"""One learned number for each distance from −R to R; farther keys share the ends.

    .. math:: b_{hqk} = T_{h,\ \mathrm{clip}(k - q, -R, R) + R}

    Shaw et al. 2018 clip this way (https://arxiv.org/abs/1803.02155); the bias enters the score as
    in Raffel et al. 2020 (https://arxiv.org/abs/1910.10683).

    Args:
        table: T, (2R + 1,) for all heads, or (H, 2R + 1).
    """

    table: Tensor

    name = "relative"
    step = "s = table[j − i]"

    def __post_init__(self) -> None:
        if not isinstance(self.table, Tensor) or not self.table.is_floating_point():
            raise DtypeError("relative needs table as a floating-point tensor")
        if self.table.dim() not in (1, 2) or self.table.shape[-1] % 2 == 0:
            raise ShapeError(
                "relative needs table of shape (2R + 1,) or (H, 2R + 1), an odd number of "
                f"distances, got {tuple(self.table.shape)}"
            )

    def check(self, query: Queries, key: Keys) -> None:
        """A table per head needs the heads before the positions."""
        heads = self.table.shape[0] if self.table.dim() == 2 else 1
        if heads not in (1, num_heads(query, key)):
            raise ShapeError(
                f"relative needs {heads} heads on the axis before the positions, "
                f"got query {tuple(query.shape)} and key {tuple(key.shape)}"
            )

    def form(self, query: Queries, key: Keys) -> Form:
        """A look-up by clipped distance."""
        table = self.table.to(query).unsqueeze(-2)  # (*H, 1, 2R + 1)
        return Positional(leading_axes(query, key), _looked_up, shared=(table,))


@dataclass(frozen=True, eq=False, repr=False)
class RelativeKeys(PositionTerm):
    r"""One learned vector for each distance from −R to R, which the query is multiplied with.

    .. math:: b_{qk} = \text{scale} \cdot \langle q_q, a_{\mathrm{clip}(k - q, -R, R)} \rangle

    Shaw et al. 2018, the second term of Eq. 5 (https://arxiv.org/abs/1803.02155); added to
    :class:`ScaledDot` it is their score. Theirs → ours: :math:`w^K` → ``table``, k → R. Each query
    meets the table once, O(Q R D); a pair costs one look-up.

    Differs from the paper: values get no vectors of their own. The authors' ablation (section 4.3)
    found those of the keys enough for translation.

    Args:
        table: a, (2R + 1, D), from the distance −R to R; all heads share it.
        scale: the factor; ``None`` is 1/√D, as in :class:`ScaledDot`.
    """

    table: Tensor
    scale: float | None = None

    name = "relative_keys"
    step = "s = scale · q·a[j − i]"

    def __post_init__(self) -> None:
        require_parameter(self.name, "table", self.table, ("2R + 1", "D"))
        if self.table.shape[0] % 2 == 0:
            raise ShapeError(
                "relative_keys needs table of shape (2R + 1, D), an odd number of distances, "
                f"got {tuple(self.table.shape)}"
            )
        if self.scale is not None:
            require_positive(self.name, "scale", self.scale)

    def check(self, query: Queries, key: Keys) -> None:
        """The vectors are as wide as the queries."""
        if self.table.shape[-1] != query.shape[-1]:
            raise ShapeError(
                f"relative_keys needs table as wide as the query, {query.shape[-1]}, "
                f"got {tuple(self.table.shape)}"
            )

    def form(self, query: Queries, key: Keys) -> Form:
        """The product of each query with the whole table, then a look-up by clipped distance."""
        width = query.shape[-1]
        default = width**-0.5 if width else 1.0
        scale = default if self.scale is None else self.scale
        products = torch.matmul(query * scale, self.table.to(query).mT)  # (*B, Q, 2R + 1)
        return Positional(leading_axes(query, key), _gathered, rows=(products,))


@dataclass(frozen=True, eq=False, repr=False)
class GaussianAround(PositionTerm):
    r"""Favour the keys near a centre, one centre per query.

    .. math:: b_{qk} = -(k - p_q)^2 / (2 \sigma^2)

    The exponent of Luong et al. 2015, Eq. 10, *local-p* (https://arxiv.org/abs/1508.04025): added
    to the score it multiplies the unnormalised weight. The gradient flows into ``centres``.

    Args:
        centres: p, (*B, Q), real positions among the keys.
        sigma: σ, a number or a tensor of one number; the paper takes half the window's half-width.
    """

    centres: Tensor
    sigma: float | Tensor

    name = "gaussian_around"
    step = "s = −(j − p)² / 2σ²"

    def __post_init__(self) -> None:
        if not isinstance(self.centres, Tensor) or not self.centres.is_floating_point():
            raise DtypeError("gaussian_around needs centres (*B, Q) as a floating-point tensor")
        require_positive(self.name, "sigma", self.sigma)

    def check(self, query: Queries, key: Keys) -> None:
        """One centre per query."""
        if self.centres.dim() < 1 or self.centres.shape[-1] not in (1, query.shape[-2]):
            raise ShapeError(
                f"gaussian_around needs one centre for each of {query.shape[-2]} queries, "
                f"got centres {tuple(self.centres.shape)}"
            )
        leading, own = leading_axes(query, key), tuple(self.centres.shape[:-1])
        if not broadcasts(own, leading):
            raise ShapeError(
                f"gaussian_around needs centres that broadcast to the batch {leading}, got {own}"
            )

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The later queries' centres, counted from the first key that is there."""
        each = self.centres.shape[-1] > 1
        return GaussianAround(
            (self.centres[..., queries:] if each else self.centres) - keys, self.sigma
        )

    def form(self, query: Queries, key: Keys) -> Form:
        """Squared distance from the centre."""
        centres = self.centres.to(query)
        centres = centres.expand(*centres.shape[:-1], query.shape[-2]).unsqueeze(-1)
        sigma = as_scalar(self.sigma, query)
        return Positional(leading_axes(query, key), _around, rows=(centres,), shared=(sigma,))


@dataclass(frozen=True, eq=False, repr=False)
class Bias(PositionTerm):
    r"""A given number for each pair of positions, learned or computed from something else.

    .. math:: b_{hqk} = \text{bias}_{hqk}

    The pair bias of Jumper et al. 2021, supplement, algorithm 7
    (https://doi.org/10.1038/s41586-021-03819-2), is one. ``score + tensor`` is the same as
    ``score + Bias(tensor)``. The gradient flows into ``bias``. One row for all queries, (…, 1, K),
    is a number per key, so it runs fused. Numbers must be finite: pairs that may not attend belong
    into a mask.

    Args:
        bias: b, anything that broadcasts to the scores (*B, Q, K): (H, Q, K) is the same for all
            of a batch, (K,) the same for all queries.
    """

    bias: Tensor

    name = "bias"
    step = "s = b[i, j]"

    def __post_init__(self) -> None:
        if not isinstance(self.bias, Tensor) or not self.bias.is_floating_point():
            came = self.bias.dtype if isinstance(self.bias, Tensor) else type(self.bias).__name__
            raise DtypeError(
                f"bias needs a floating-point tensor (*B, Q, K), got {came}; booleans are a mask"
            )
        if self.bias.dim() < 2:  # one number for each key, or for all pairs
            object.__setattr__(self, "bias", self.bias.expand(1, *self.bias.shape or (1,)))

    def tensors(self) -> list[Tensor]:
        """The numbers; a single one may be anywhere."""
        return [self.bias] if self.bias.numel() != 1 else []

    def check(self, query: Queries, key: Keys) -> None:
        """It must broadcast to the scores."""
        wanted = (*leading_axes(query, key), query.shape[-2], key.shape[-2])
        own = tuple(self.bias.shape)
        if not broadcasts(own, wanted):
            raise ShapeError(
                f"bias needs a tensor that broadcasts to the scores {wanted}, got {own}"
            )

    def form(self, query: Queries, key: Keys) -> Form:
        """A look-up by row and column."""
        sizes = (*self.bias.shape[:-2], query.shape[-2], key.shape[-2])
        # The numbers of a query are a vector of its own, as wide as there are keys.
        rows = (self.bias.to(query).expand(sizes),)
        return Positional(leading_axes(query, key), _of_columns, rows=rows)

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The numbers of the later queries and keys."""
        rows = slice(None) if self.bias.shape[-2] == 1 else slice(queries, None)
        columns = slice(None) if self.bias.shape[-1] == 1 else slice(keys, None)
        return _Reaching(self.bias[..., rows, columns])

    def is_key_bias(self, mask: Mask | None = None) -> bool:
        """Where all queries share one row."""
        return self.bias.shape[-2] == 1

    def key_bias(self, query: Queries, key: Keys) -> Float[Tensor, "... K"]:
        """That row."""
        wide = torch.promote_types(query.dtype, torch.float32)
        row = self.bias.to(device=query.device, dtype=wide).squeeze(-2)
        return row.expand(*row.shape[:-1], key.shape[-2])


class _Reaching(Bias):
    """A bias that may go on behind the queries and keys there are, as in a step with a cache."""

    def check(self, query: Queries, key: Keys) -> None:
        self._cut(query, key).check(query, key)

    def form(self, query: Queries, key: Keys) -> Form:
        return self._cut(query, key).form(query, key)

    def key_bias(self, query: Queries, key: Keys) -> Float[Tensor, "... K"]:
        return self._cut(query, key).key_bias(query, key)

    def _cut(self, query: Tensor, key: Tensor) -> Bias:
        return Bias(self.bias[..., : query.shape[-2], : key.shape[-2]])


def _places(at: Tile, count: int) -> Int[Tensor, "r c"]:
    """Where a table of 2R + 1 distances has that of each pair; farther ones share the ends."""
    reach = count // 2
    return at.offsets.clamp(-reach, reach) + reach


def _penalty(rows: Vectors, shared: Vectors, at: Tile) -> Pairs:
    return -shared[0] * at.offsets.abs()  # (H, r, c)


def _looked_up(rows: Vectors, shared: Vectors, at: Tile) -> Pairs:
    table = shared[0].squeeze(-2)
    return table[..., _places(at, table.shape[-1])]  # (*H, r, c)


def _gathered(rows: Vectors, shared: Vectors, at: Tile) -> Pairs:
    (products,) = rows
    places = _places(at, products.shape[-1])
    return products.gather(-1, places.expand(*products.shape[:-2], -1, -1))  # (*B, r, c)


def _around(rows: Vectors, shared: Vectors, at: Tile) -> Pairs:
    deviation = (at.columns.to(rows[0].dtype) - rows[0]) / shared[0]
    return deviation.square() * -0.5


def _of_columns(rows: Vectors, shared: Vectors, at: Tile) -> Pairs:
    return at.take_columns((rows[0].mT,))[0].mT
