"""Learned positions."""

import torch
from torch import nn

from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Int, Tensor

from .joining import InputPosition, Join


@mechanism(
    "learned positions",
    family="positions",
    equation="PE(p) = T[p]",
    cost="O(N M)",
    paper=("Gehring 2017", "https://arxiv.org/abs/1705.03122"),
)
class Learned(InputPosition):
    r"""One learned vector for each position of a table.

    .. math:: x_p \leftarrow x_p + T_p, \quad 0 \le p < \text{max\_length}

    Gehring et al. 2017, section 3.1 (https://arxiv.org/abs/1705.03122), and BERT, GPT-2 and ViT
    since. Begins normal with a standard deviation of 0.02. O(N M). Positions beyond the table do
    not exist: asking for one raises.

    Args:
        max_length: how many positions there are.
        dim: M, width of the vector of a position.
        join: ``"add"`` or ``"concatenate"``.
    """

    def __init__(self, max_length: int, dim: int, *, join: Join = "add") -> None:
        require_sizes("Learned", max_length=max_length, dim=dim)
        super().__init__(dim, join=join)
        self.num_positions = max_length
        self.table = nn.Parameter(torch.empty(max_length, dim))
        nn.init.normal_(self.table, std=0.02)

    def encode(self, positions: Int[Tensor, "*N"]) -> Float[Tensor, "*N M"]:
        """The rows of these positions."""
        return nn.functional.embedding(positions, self.table)

    def extra_repr(self) -> str:
        """Length, width and join."""
        return f"{self.num_positions}, {super().extra_repr()}"
