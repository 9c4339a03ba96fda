"""Scores that are inner products: of vectors as they are, projected or normalised."""

from abc import abstractmethod
from dataclasses import dataclass

import torch
from torch.nn.functional import normalize

from regard.errors import DtypeError, RangeError, ShapeError
from regard.kernels.derivatives import transformed
from regard.mechanism import mechanism
from regard.papers import LUONG_2015, VASWANI_2017
from regard.types import Tensor

from ..forms import Inner, leading_axes
from ..masks import Mask
from ..tensors import broadcasts, widened
from .base import Keys, Queries, Score, as_scalar, require_parameter, require_positive


class InnerScore(Score):
    """A score that is one inner product as it stands."""

    def is_inner(self, mask: Mask | None = None) -> bool:
        """Always."""
        return True


class PlainInner(InnerScore):
    """An inner product of the vectors as they are, which no precision can harm."""

    def inner(self, query: Queries, key: Keys, mask: Mask | None = None) -> Inner:
        """Of vectors in their own dtype: the kernel multiplies them exactly."""
        return self.form(query, key)

    @abstractmethod
    def form(self, query: Queries, key: Keys) -> Inner:
        """The vectors and a factor."""


@mechanism("dot", equation="e = qᵀ k", cost="O(Q K D), fused", paper=LUONG_2015)
@dataclass(frozen=True, eq=False, repr=False)
class Dot(PlainInner):
    r"""Dot product.

    .. math:: e_{qk} = \langle q_q, k_k \rangle

    Luong et al. 2015, Eq. 8, *dot* (https://arxiv.org/abs/1508.04025).
    """

    name = "dot"
    content_only = True
    step = "s = q·k"

    def plain_factor(self, width: int) -> float:
        """1."""
        return 1.0

    def form(self, query: Queries, key: Keys) -> Inner:
        """An inner product of the vectors themselves."""
        return Inner(query, key)


@mechanism("scaled dot", equation="e = qᵀ k / √D", cost="O(Q K D), fused", paper=VASWANI_2017)
@dataclass(frozen=True, eq=False, repr=False)
class ScaledDot(PlainInner):
    r"""Dot product scaled by the width.

    .. math:: e_{qk} = \langle q_q, k_k \rangle / \sqrt{D}

    Vaswani et al. 2017, Eq. 1 (https://arxiv.org/abs/1706.03762).

    Args:
        scale: the factor; ``None`` is 1/√D. A tensor of one number may be learned.
    """

    scale: float | Tensor | None = None

    name = "scaled_dot"
    content_only = True
    step = "s = q·k / √D"

    def __post_init__(self) -> None:
        if self.scale is not None:
            require_positive(self.name, "scale", self.scale)

    def plain_factor(self, width: int) -> float | None:
        """The scale, unless it is a tensor."""
        if isinstance(self.scale, Tensor):
            return None
        default = width**-0.5 if width else 1.0
        return default if self.scale is None else self.scale

    def form(self, query: Queries, key: Keys) -> Inner:
        """An inner product with a factor."""
        factor = self.plain_factor(query.shape[-1])
        if factor is not None:
            return Inner(query, key, factor)
        assert isinstance(self.scale, Tensor)
        query, key = widened(query), widened(key)  # a product would round them
        return Inner(query * as_scalar(self.scale, query), key)


@mechanism("general", equation="e = qᵀ W k", cost="O(Q K D), fused", paper=LUONG_2015)
@dataclass(frozen=True, eq=False, repr=False)
class General(InnerScore):
    r"""Bilinear product with a learned map, which may join different widths.

    .. math:: e_{qk} = q_q^\top W k_k

    Luong et al. 2015, Eq. 8, *general* (https://arxiv.org/abs/1508.04025); their W_a is ``weight``.

    Args:
        weight: W, (Dq, Dk).
    """

    weight: Tensor

    name = "general"
    content_only = True
    step = "s = q′·k = qᵀW k"
    query_step = "q′ = Wᵀq"

    def __post_init__(self) -> None:
        require_parameter(self.name, "weight", self.weight, ("Dq", "Dk"))

    def check(self, query: Queries, key: Keys) -> None:
        """The weight must join the two widths."""
        if self.weight.shape != (query.shape[-1], key.shape[-1]):
            raise ShapeError(
                f"general needs weight of shape (query width, key width) = "
                f"({query.shape[-1]}, {key.shape[-1]}), got {tuple(self.weight.shape)}"
            )

    def form(self, query: Queries, key: Keys) -> Inner:
        """Project the query, then an inner product."""
        return Inner(query @ self.weight.to(query.dtype), key)


@mechanism("location", equation="e = (W q)ₖ", cost="O(Q K D), fused", paper=LUONG_2015)
@dataclass(frozen=True, eq=False, repr=False)
class Location(InnerScore):
    r"""One learned row per key position; what stands there is not looked at.

    .. math:: e_{qk} = \langle W_k, q_q \rangle, \quad \alpha_q = \mathrm{softmax}(W q_q)

    Luong et al. 2015, section 3.1, *location* (https://arxiv.org/abs/1508.04025); their W_a
    is ``weight``.

    Args:
        weight: W, (longest key sequence, Dq); the first K rows are used.
    """

    weight: Tensor

    name = "location"
    step = "s = q·k′ = W q"
    key_step = "k′ = one row of W per position"

    def __post_init__(self) -> None:
        require_parameter(self.name, "weight", self.weight, ("K", "Dq"))

    def check(self, query: Queries, key: Keys) -> None:
        """One row of the weight per key, as wide as the query."""
        rows, width = self.weight.shape
        if width != query.shape[-1]:
            raise ShapeError(
                f"location needs weight as wide as the query, {query.shape[-1]}, got {width}"
            )
        if rows < key.shape[-2]:
            raise ShapeError(
                f"location needs a row of weight for each of {key.shape[-2]} keys, got {rows}; "
                "make the table longer, or cut the keys"
            )

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The rows of the later keys."""
        return Location(self.weight[keys:]) if keys else self

    def form(self, query: Queries, key: Keys) -> Inner:
        """An inner product in which the rows of W stand for the keys."""
        rows = self.weight[: key.shape[-2]].to(query.dtype)
        return Inner(query, rows.expand(*key.shape[:-2], -1, -1))


@mechanism(
    "content (cosine)",
    equation="e = β cos(q, k)",
    cost="O(Q K D), fused",
    paper=("Graves 2014", "https://arxiv.org/abs/1410.5401"),
)
@dataclass(frozen=True, eq=False, repr=False)
class Cosine(InnerScore):
    r"""Cosine similarity with a sharpness.

    .. math:: e_{qk} = \beta \cos(q_q, k_k)

    Graves et al. 2014, Eq. 5–6, content addressing (https://arxiv.org/abs/1410.5401); their key
    strength β is ``scale``. The cosine with a zero vector is 0.

    Args:
        scale: β > 0; a number, or a tensor that carries a gradient: one number (), one per head
            (H,), or one per query (*B, Q), as a controller emits it, with at least two axes.
    """

    scale: float | Tensor = 1.0

    name = "cosine"
    content_only = True
    step = "s = β cos(q, k)"
    query_step = "q′ = q / ‖q‖"
    key_step = "k′ = k / ‖k‖"

    def __post_init__(self) -> None:
        if not isinstance(self.scale, Tensor):
            require_positive(self.name, "scale", self.scale)
            return
        if not self.scale.is_floating_point():
            raise DtypeError(
                f"cosine needs scale as a floating-point tensor, got {self.scale.dtype}"
            )
        if torch.compiler.is_compiling() or transformed() or not self.scale.numel():
            return
        low, high = map(float, self.scale.detach().aminmax())
        if not 0 < low <= high < float("inf"):
            raise RangeError(f"cosine needs a positive scale, got {low} to {high}; use softplus")

    def check(self, query: Queries, key: Keys) -> None:
        """A scale per head needs the heads before the positions; one per query, the queries."""
        super().check(query, key)
        if not isinstance(self.scale, Tensor):
            return
        leading = leading_axes(query, key)
        wanted = leading[-1:] if self.scale.dim() == 1 else (*leading, query.shape[-2])
        own = tuple(self.scale.shape)
        if not broadcasts(own, wanted):
            raise ShapeError(
                "cosine needs scale of shape (), (heads,) or (*batch, queries), "
                f"{(*leading, query.shape[-2])} at most, got {own}"
            )

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The scales of the later queries."""
        if not isinstance(self.scale, Tensor) or self.scale.dim() < 2 or self.scale.shape[-1] == 1:
            return self
        return Cosine(self.scale[..., queries:])

    def form(self, query: Queries, key: Keys) -> Inner:
        """Normalise every vector, then an inner product; a learned scale goes to the queries."""
        query, key = normalize(query, dim=-1), normalize(key, dim=-1)
        if not isinstance(self.scale, Tensor):
            return Inner(query, key, self.scale)
        return Inner(query * self._factor(query), key)

    def _factor(self, query: Tensor) -> Tensor:
        """β as it multiplies queries (*B, Q, D)."""
        assert isinstance(self.scale, Tensor)
        scale = self.scale.to(query)
        if scale.numel() == 1:
            return scale.reshape(())
        return scale.view(-1, 1, 1) if scale.dim() == 1 else scale.unsqueeze(-1)
