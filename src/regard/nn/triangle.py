"""Attention between the edges of triangles."""

from typing import Literal

import torch
from torch import nn

from regard.errors import ChoiceError, ShapeError
from regard.functional.tensors import require_padded
from regard.mechanism import mechanism
from regard.papers import JUMPER_2021
from regard.types import Float, Tensor

from .heads import ArrayMask, head_mask
from .pair_biased import GatedAttention

Mode = Literal["starting", "ending"]


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
        self, model_dim: int, num_heads: int, mode: Mode, *, head_dim: int | None = None
    ) -> None:
        super().__init__(model_dim, num_heads, head_dim=head_dim)
        if mode not in ("starting", "ending"):
            raise ChoiceError(f"unknown mode {mode!r}. Known: ending, starting.")
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
