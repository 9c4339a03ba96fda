"""Learned relative positions: a number or a vector for every distance."""

import torch
from torch import nn

from regard.functional import scores
from regard.functional.scores.base import require_positive
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import SHAW_2018


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
