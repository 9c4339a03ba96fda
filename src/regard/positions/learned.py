"""Learned positions: a vector each, or a straight line through all of them."""

import torch
from torch import nn

from regard.errors import ShapeError
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import VASWANI_2017
from regard.types import Float, Int, Tensor

from .joining import InputPosition, Join
from .sinusoidal import require_length


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


def linear(
    n: int, *, slope: Float[Tensor, " M"], offset: Float[Tensor, " Mb"], start: int = 0
) -> Float[Tensor, "n M"]:
    r"""A straight line in every feature, one row per position.

    .. math:: L_p = a \, p + b

    Args:
        n: how many positions.
        slope: a, (M,).
        offset: b, (M,).
        start: the first position.

    Raises:
        RangeError: ``n`` is negative.
        ShapeError: slope and offset are not two vectors of one width.
    """
    require_length("linear", n=n, start=start)
    if slope.dim() != 1 or slope.shape != offset.shape:
        raise ShapeError(
            "linear needs slope and offset as two vectors of one width, got "
            f"{tuple(slope.shape)} and {tuple(offset.shape)}"
        )
    return _line(torch.arange(start, start + n, device=slope.device), slope, offset)


def _line(positions: Tensor, slope: Tensor, offset: Tensor) -> Tensor:
    """In at least float32: bfloat16 has no number between 256 and 258."""
    exact = torch.promote_types(slope.dtype, torch.float32)
    return (positions.to(exact).unsqueeze(-1) * slope + offset).to(slope.dtype)


@mechanism(
    "linear positions",
    family="positions",
    equation="PE(p) = a p + b",
    cost="O(N M)",
    paper=VASWANI_2017,
)
class Linear(InputPosition):
    r"""A learned straight line in every feature.

    .. math:: x_p \leftarrow x_p + a \, p + b

    The simplest position there is: slope a and offset b are learned, and every position, seen in
    training or not, lies on the line. It grows without bound, so a model trained on short
    sequences meets large numbers in long ones. Begins with slopes of standard deviation 0.02 and
    without offset. O(N M).

    Args:
        dim: M, width of the vector of a position.
        join: ``"add"`` or ``"concatenate"``.
    """

    def __init__(self, dim: int, *, join: Join = "add") -> None:
        require_sizes("Linear", dim=dim)
        super().__init__(dim, join=join)
        self.slope = nn.Parameter(torch.empty(dim))
        self.offset = nn.Parameter(torch.zeros(dim))
        nn.init.normal_(self.slope, std=0.02)

    def encode(self, positions: Int[Tensor, "*N"]) -> Float[Tensor, "*N M"]:
        """The points of the line at these positions."""
        return _line(positions, self.slope, self.offset)
