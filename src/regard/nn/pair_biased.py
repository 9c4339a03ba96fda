"""Attention over 2-d arrays, biased by what is known about pairs: rows, and edges of triangles."""

from typing import Literal

import torch
from torch import nn

from regard.errors import ShapeError
from regard.functional.masks import Mask
from regard.functional.scores import Bias, ScaledDot
from regard.functional.tensors import require_padded
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import JUMPER_2021
from regard.types import Float, Tensor

from .base import AttentionModule, require_choice
from .heads import ArrayMask, head_mask, join_heads, split_heads, width_of_head


class GatedAttention(AttentionModule):
    """Heads that attend with a bias and let pass what a gate lets pass.

    Args:
        model_dim: M, width of input and output.
        num_heads: H.
        head_dim: width of a head; M / H if not given.
    """

    def __init__(self, model_dim: int, num_heads: int, *, head_dim: int | None = None) -> None:
        super().__init__()
        require_sizes(self, model_dim=model_dim, num_heads=num_heads)
        self.head_dim = width_of_head(self, model_dim, num_heads, head_dim)
        require_sizes(self, head_dim=self.head_dim)
        self.model_dim, self.num_heads = model_dim, num_heads
        width = num_heads * self.head_dim
        self.norm = nn.LayerNorm(model_dim)
        self.query_proj = nn.Linear(model_dim, width, bias=False)
        self.key_proj = nn.Linear(model_dim, width, bias=False)
        self.value_proj = nn.Linear(model_dim, width, bias=False)
        self.gate_proj = nn.Linear(model_dim, width)
        self.output_proj = nn.Linear(width, model_dim)

    def gated(
        self, x: Float[Tensor, "*B N M"], bias: Float[Tensor, "*#B H N N"], mask: Mask | None
    ) -> Float[Tensor, "*B N M"]:
        """Attention within each sequence of ``x``, which is already normalised."""
        projections = (self.query_proj, self.key_proj, self.value_proj)
        query, key, value = (split_heads(proj(x), self.num_heads) for proj in projections)
        context = self.attend(query, key, value, score=ScaledDot() + Bias(bias), mask=mask)
        gate = torch.sigmoid(self.gate_proj(x))  # (*B, N, H·D)
        return self.output_proj(gate * join_heads(context))

    def extra_repr(self) -> str:
        """Sizes."""
        return f"{self.model_dim}, {self.num_heads}, head_dim={self.head_dim}"


@mechanism(
    "pair-biased",
    equation="e = qᵀ k / √D + b(zᵢⱼ), gated",
    cost="O(R N² D) for R rows",
    paper=JUMPER_2021,
)
class PairBiasedAttention(GatedAttention):
    r"""Row-wise gated attention with pair bias: each row looks along itself.

    .. math:: a_{sij} = \text{softmax}_j(q_{si} \cdot k_{sj} / \sqrt{D} + b_{ij}), \quad
              o_{si} = g_{si} \odot \sum_j a_{sij} v_{sj}

    with q, k, v and g = sigmoid(W_g m + b_g) from LayerNorm(m), and b = W_b LayerNorm(z), one
    number per head. Jumper et al. 2021, supplement, algorithm 7
    (https://doi.org/10.1038/s41586-021-03819-2). Theirs → ours: m → ``x``, z → ``pair``, c →
    ``head_dim``. The bias is the same for all rows and carries a gradient. O(S N² M) time; memory
    O(H N²) for the bias, linear in S N beside it.

    Args:
        model_dim: M, width of an entry of the array.
        num_heads: H.
        pair_dim: width of what is known about a pair.
        head_dim: width of a head; M / H if not given.
    """

    def __init__(
        self, model_dim: int, num_heads: int, *, pair_dim: int, head_dim: int | None = None
    ) -> None:
        super().__init__(model_dim, num_heads, head_dim=head_dim)
        require_sizes(self, pair_dim=pair_dim)
        self.pair_dim = pair_dim
        self.pair_norm = nn.LayerNorm(pair_dim)
        self.bias_proj = nn.Linear(pair_dim, num_heads, bias=False)

    def forward(
        self,
        x: Float[Tensor, "*B S N M"],
        pair: Float[Tensor, "*B N N Z"],
        mask: ArrayMask | None = None,
    ) -> Float[Tensor, "*B S N M"]:
        """What each entry finds in its row.

        Args:
            x: m, S rows of N entries.
            pair: z, what is known about each pair of columns.
            mask: which entries may be looked at: a mask, booleans (*B, S, N), or the lengths of
                the rows, (*B,) or (*B, S).
        """
        self._check(x, pair)
        bias = self.bias_proj(self.pair_norm(pair)).movedim(-1, -3)  # (*B, H, N, N)
        return self.gated(self.norm(x), bias.unsqueeze(-4), head_mask(mask))

    def _check(self, x: Tensor, pair: Tensor) -> None:
        require_padded(self, x)
        if x.dim() < 3 or x.shape[-1] != self.model_dim:
            raise ShapeError(
                f"PairBiasedAttention needs an array (*B, S, N, {self.model_dim}), "
                f"got {tuple(x.shape)}"
            )
        wanted = (x.shape[-2], x.shape[-2], self.pair_dim)
        if pair.shape[-3:] != wanted:
            raise ShapeError(
                f"PairBiasedAttention needs pairs (*B, {', '.join(map(str, wanted))}) for rows of "
                f"{x.shape[-2]}, got {tuple(pair.shape)}"
            )


SharedNode = Literal["starting", "ending"]


@mechanism(
    "triangle",
    equation="row i of z attends along j with bias b(zⱼₖ)",
    cost="O(N³ D)",
    paper=JUMPER_2021,
)
class TriangleAttention(GatedAttention):
    r"""Edges look at the edges they share a node with; the third edge of the triangle is the bias.

    .. math:: \text{starting:} \quad o_{ij} = g_{ij} \odot \sum_k
              \text{softmax}_k(q_{ij} \cdot k_{ik} / \sqrt{D} + b_{jk}) \, v_{ik} \\
              \text{ending:} \quad o_{ij} = g_{ij} \odot \sum_k
              \text{softmax}_k(q_{ij} \cdot k_{kj} / \sqrt{D} + b_{ki}) \, v_{kj}

    with q, k, v, b and g = sigmoid(W_g z + b_g) from LayerNorm(z). Jumper et al. 2021, supplement,
    algorithms 13 and 14 (https://doi.org/10.1038/s41586-021-03819-2). Theirs → ours: z → ``pair``,
    c → ``head_dim``. *Ending* is *starting* on the transposed array. O(N³ M) time; the bias has
    O(H N²) numbers, as the array itself, and carries a gradient.

    Args:
        model_dim: M, width of an edge.
        num_heads: H.
        mode: the node that edges share, ``"starting"`` (same row) or ``"ending"`` (same column).
        head_dim: width of a head; M / H if not given.
    """

    def __init__(
        self, model_dim: int, num_heads: int, mode: SharedNode, *, head_dim: int | None = None
    ) -> None:
        super().__init__(model_dim, num_heads, head_dim=head_dim)
        require_choice("mode", mode, ("starting", "ending"))
        self.mode = mode
        self.bias_proj = nn.Linear(model_dim, num_heads, bias=False)

    def forward(
        self, pair: Float[Tensor, "*B N N M"], mask: ArrayMask | None = None
    ) -> Float[Tensor, "*B N N M"]:
        """What each edge finds in the triangles it is part of.

        Args:
            pair: z, one vector per edge.
            mask: which edges may be looked at: booleans (*B, N, N), the numbers of nodes (*B,), or
                a mask over the edges that share a node, numbered by their other node.
        """
        require_padded(self, pair)
        if pair.dim() < 3 or pair.shape[-3] != pair.shape[-2] or pair.shape[-1] != self.model_dim:
            raise ShapeError(
                f"TriangleAttention needs edges (*B, N, N, {self.model_dim}), "
                f"got {tuple(pair.shape)}"
            )
        if self.mode == "starting":
            return self._starting(pair, mask)
        if isinstance(mask, Tensor) and mask.dtype == torch.bool:
            mask = mask.mT
        return self._starting(pair.transpose(-3, -2), mask).transpose(-3, -2)

    def _starting(
        self, pair: Float[Tensor, "*B N N M"], mask: ArrayMask | None
    ) -> Float[Tensor, "*B N N M"]:
        edges = self.norm(pair)
        bias = self.bias_proj(edges).movedim(-1, -3)  # (*B, H, N, N)
        return self.gated(edges, bias.unsqueeze(-4), head_mask(mask))

    def extra_repr(self) -> str:
        """Sizes and mode."""
        return f"{super().extra_repr()}, mode={self.mode!r}"
