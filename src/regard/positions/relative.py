"""Relative positions: a term of the score for every distance, fixed or learned."""

from bisect import bisect_left, bisect_right

import torch
from torch import nn

from regard.errors import RangeError
from regard.functional import scores
from regard.functional.scores.base import require_positive
from regard.functional.value import require_sizes, require_whole
from regard.mechanism import mechanism
from regard.papers import SHAW_2018
from regard.types import Int, Tensor

MOST_BUCKETS, MOST_DISTANCES = 2**10, 2**16
"""Of :func:`t5_buckets`: what every distance falls into is written down."""


@mechanism(
    "ALiBi",
    family="positions",
    equation="+ −m_h |q − k|",
    cost="O(1) per pair, fused if causal",
    paper=("Press 2022", "https://arxiv.org/abs/2108.12409"),
)
class Alibi(nn.Module):
    r"""A penalty that grows with the distance, at another rate in every head; nothing is learned.

    .. math:: b_{hqk} = -m_h \, |q - k|

    Press et al. 2022, section 3 (https://arxiv.org/abs/2108.12409); the score is
    :class:`regard.scores.Alibi`. Any distance has its penalty, so sequences may be longer than
    those of training.

    Args:
        num_heads: H, heads of the attention.
    """

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        _ = scores.Alibi(num_heads)
        self.num_heads = num_heads

    def term(self, start: int = 0) -> scores.Score:
        """What is added to the content score, for queries that begin at ``start``."""
        return scores.Alibi(self.num_heads).shifted(start)

    def extra_repr(self) -> str:
        """Heads."""
        return f"{self.num_heads}"


@mechanism(
    "relative bias, clipped",
    family="positions",
    equation="+ T_h[clip(k − q)]",
    cost="O(1) per pair",
    paper=SHAW_2018,
)
class RelativeBias(nn.Module):
    r"""One learned number for each head and distance from −R to R; farther keys share the ends.

    .. math:: b_{hqk} = T_{h,\ \mathrm{clip}(k - q, -R, R) + R}

    Shaw et al. 2018 clip this way (https://arxiv.org/abs/1803.02155); the bias is that of Raffel et
    al. 2020 (https://arxiv.org/abs/1910.10683) without its buckets. Begins normal with a standard
    deviation of 0.02. One look-up per pair; see :class:`regard.scores.Relative`.

    Args:
        num_heads: H, heads of the attention.
        reach: R, the farthest distance told apart.
    """

    def __init__(self, num_heads: int, reach: int) -> None:
        super().__init__()
        require_sizes("RelativeBias", num_heads=num_heads, reach=reach)
        self.num_heads, self.reach = num_heads, reach
        self.table = nn.Parameter(torch.empty(num_heads, 2 * reach + 1))
        nn.init.normal_(self.table, std=0.02)

    def term(self, start: int = 0) -> scores.Score:
        """What is added to the content score, for queries that begin at ``start``."""
        return scores.Relative(self.table).shifted(start)

    def extra_repr(self) -> str:
        """Heads and reach."""
        return f"{self.num_heads}, {self.reach}"


@mechanism(
    "relative positions (Shaw)",
    family="positions",
    equation="+ qᵀ a_{clip(k − q)} / √D",
    cost="O(Q R D) + O(1) per pair",
    paper=SHAW_2018,
)
class ShawKeys(nn.Module):
    r"""One learned vector for each distance from −R to R, added to the key it is seen from.

    .. math:: e_{qk} = \langle q_q, k_k + a_{\mathrm{clip}(k - q, -R, R)} \rangle / \sqrt{D}

    Shaw et al. 2018, Eq. 4 and 5 (https://arxiv.org/abs/1803.02155): relation-aware self-attention,
    split as they split it, so that :meth:`term` is the part with a and the content score the rest.
    Theirs → ours: :math:`w^K` → ``table``, k → R, d_z → D. All heads share the vectors. O(Q R D)
    plus one look-up per pair; see :class:`regard.scores.RelativeKeys`.

    Differs from the paper: values get no vectors of their own. The authors' ablation (section 4.3)
    found those of the keys enough for translation.

    Args:
        dim: D, width of a head's queries and keys.
        reach: R, the farthest distance told apart.
        scale: the factor, that of the content score; ``None`` is 1/√D.
    """

    def __init__(self, dim: int, reach: int, *, scale: float | None = None) -> None:
        super().__init__()
        require_sizes("ShawKeys", dim=dim, reach=reach)
        if scale is not None:
            require_positive("ShawKeys", "scale", scale)
        self.dim, self.reach, self.scale = dim, reach, scale
        self.table = nn.Parameter(torch.empty(2 * reach + 1, dim))
        nn.init.normal_(self.table, std=0.02)

    def term(self, start: int = 0) -> scores.Score:
        """What is added to the content score, for queries that begin at ``start``."""
        return scores.RelativeKeys(self.table, self.scale).shifted(start)

    def extra_repr(self) -> str:
        """Width and reach."""
        return f"{self.dim}, {self.reach}"


def t5_buckets(
    *, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> Int[Tensor, " distances"]:
    r"""The bucket of every distance k − q from −R to R, R = ``max_distance``.

    .. math:: \beta(n) = \begin{cases} n & n < E \\
              \min(S - 1,\ E + \lfloor (S - E) \, \ln(n/E) / \ln(R/E) \rfloor) & n \ge E
              \end{cases}, \quad E = \lfloor S/2 \rfloor

    Near distances have a bucket each, farther ones share buckets whose widths grow. With
    ``bidirectional`` half of the buckets, S, are for later keys (k > q) and half for the others;
    without, all S are for the others, and later keys fall into bucket 0. Whole numbers decide on
    which side of an edge a distance lies, no rounded logarithm.

    Raises:
        RangeError: too few buckets, or a distance that the first of them reach already.
    """
    _check(num_buckets, max_distance, bidirectional=bidirectional)
    side = num_buckets // 2 if bidirectional else num_buckets
    edges = _edges(side, max_distance)
    near = [min(n, side // 2) + bisect_right(edges, n) for n in range(max_distance + 1)]
    later = [side + bucket for bucket in near[1:]] if bidirectional else [0] * max_distance
    return torch.tensor(near[::-1] + later)


def _edges(count: int, farthest: int) -> list[int]:
    """The first distance of every bucket of several."""
    exact = count // 2
    steps = count - exact

    def is_beyond(distance: int, j: int) -> bool:
        # (distance / exact)^steps ≥ (farthest / exact)^j, free of fractions.
        return distance**steps * exact**j >= farthest**j * exact**steps

    def edge(j: int) -> int:
        return bisect_left(range(farthest + 1), True, lo=exact, key=lambda n: is_beyond(n, j))

    return [edge(j) for j in range(1, steps)]


def _check(num_buckets: int, max_distance: int, *, bidirectional: bool) -> None:
    require_whole("T5Bias", "num_buckets", num_buckets)
    require_whole("T5Bias", "max_distance", max_distance)
    for name, found, most in (
        ("num_buckets", num_buckets, MOST_BUCKETS),
        ("max_distance", max_distance, MOST_DISTANCES),
    ):
        if found > most:
            raise RangeError(f"T5Bias needs {name} of at most {most:,}, got {found}")
    least = 4 if bidirectional else 2
    if num_buckets < least or (bidirectional and num_buckets % 2):
        kind = f"an even num_buckets of at least {least}" if bidirectional else "at least 2 buckets"
        raise RangeError(f"T5Bias needs {kind}, got {num_buckets}")
    exact = num_buckets // least
    if max_distance <= exact:
        raise RangeError(
            f"T5Bias needs max_distance above {exact}, the distances with a bucket of their own, "
            f"got {max_distance}"
        )


@mechanism(
    "relative positions (T5)",
    family="positions",
    equation="+ T_h[bucket(k − q)]",
    cost="O(1) per pair",
    paper=("Raffel 2020", "https://arxiv.org/abs/1910.10683"),
)
class T5Bias(nn.Module):
    r"""One learned number for each head and each bucket of distances.

    .. math:: b_{hqk} = T_{h,\ \text{bucket}(k - q)}

    Raffel et al. 2020, section 2.1 (https://arxiv.org/abs/1910.10683); the buckets are those of
    :func:`t5_buckets`. All distances beyond ``max_distance`` share the last bucket, so any length
    works. T5 shares one bias between its layers and does not scale its dot product. Begins normal
    with a standard deviation of 0.02. One look-up per pair.

    Args:
        num_heads: H, heads of the attention.
        num_buckets: numbers per head.
        max_distance: R, from which on all distances are one.
        bidirectional: whether later keys are told apart; a causal decoder never sees them.
    """

    buckets: Tensor

    def __init__(
        self,
        num_heads: int,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
    ) -> None:
        super().__init__()
        require_sizes("T5Bias", num_heads=num_heads)
        self.num_heads, self.num_buckets = num_heads, num_buckets
        self.max_distance, self.bidirectional = max_distance, bidirectional
        places = t5_buckets(
            num_buckets=num_buckets, max_distance=max_distance, bidirectional=bidirectional
        )
        self.register_buffer("buckets", places, persistent=False)
        self.table = nn.Parameter(torch.empty(num_heads, num_buckets))
        nn.init.normal_(self.table, std=0.02)

    def term(self, start: int = 0) -> scores.Score:
        """What is added to the content score, for queries that begin at ``start``."""
        return scores.Relative(self.table[:, self.buckets]).shifted(start)

    def extra_repr(self) -> str:
        """Heads and buckets."""
        return (
            f"{self.num_heads}, num_buckets={self.num_buckets}, max_distance={self.max_distance}, "
            f"bidirectional={self.bidirectional}"
        )
