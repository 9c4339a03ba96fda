"""Rotary positions (RoPE): queries and keys turned by angles that grow with the position."""

from collections.abc import Callable

import torch
from torch import nn

from regard.errors import DtypeError, RangeError, ShapeError
from regard.functional.value import require_sizes, require_whole
from regard.mechanism import mechanism
from regard.registry import Registry
from regard.types import Float, Int, Tensor

from .rotary_scaling import RotaryScaling
from .sinusoidal import Layout as Layout
from .sinusoidal import angles, require_base


def _turn_halves(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def _turn_pairs(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.unflatten(-1, (-1, 2)).unbind(-1)
    turned = torch.stack([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return turned.flatten(-2)


_layouts: Registry[Callable[[Tensor, Tensor, Tensor], Tensor]] = Registry("layout")
_layouts.add("halves", _turn_halves)
_layouts.add("pairs", _turn_pairs)


@mechanism(
    "rotary positions",
    family="positions",
    equation="⟨R_p q, R_s k⟩ depends on p − s alone",
    cost="O(N D)",
    paper=("Su 2021", "https://arxiv.org/abs/2104.09864"),
)
class Rotary(nn.Module):
    r"""Each pair of features turned by an angle that grows with the position.

    .. math:: \begin{pmatrix} x'_{2i} \\ x'_{2i+1} \end{pmatrix} =
              \begin{pmatrix} \cos p\theta_i & -\sin p\theta_i \\
              \sin p\theta_i & \cos p\theta_i \end{pmatrix}
              \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix}, \quad
              \theta_i = \text{base}^{-2i/D}

    Su et al. 2021, Eq. 15 and 34 (https://arxiv.org/abs/2104.09864): RoPE. Applied to queries and
    keys, not to values; their product then depends on the distance alone. Theirs → ours: m → p, d →
    D. The paper, RoFormer and GPT-J lay features out in ``"pairs"``; Llama and GPT-NeoX in
    ``"halves"``, the same up to the order of the features. O(N D); angles are float64, so that far
    positions stay exact, and the rotation is at least float32.

    Args:
        dim: D, how many features turn; even. Wider vectors keep the features behind them as they
            are, as in GPT-J.
        base: 10000 in the paper.
        layout: which features are a pair.
        scaling: how it reaches farther than it was trained to; see
            :mod:`regard.positions.rotary_scaling`.
    """

    def __init__(
        self,
        dim: int,
        base: float = 10000.0,
        layout: Layout = "halves",
        *,
        scaling: RotaryScaling | None = None,
    ) -> None:
        super().__init__()
        require_sizes("Rotary", dim=dim)
        if dim % 2:
            raise RangeError(f"Rotary needs an even dim, since features turn in pairs, got {dim}")
        require_base("Rotary", base)
        _ = _layouts[layout]
        self.dim, self.base, self.layout, self.scaling = dim, base, layout, scaling
        if scaling is not None:
            _ = scaling.frequencies(dim, base)  # whatever does not fit is said now

    @property
    def magnitude(self) -> float:
        """What turned vectors are multiplied with."""
        return 1.0 if self.scaling is None else self.scaling.magnitude

    def angles(self, positions: Int[Tensor, " N"]) -> Float[Tensor, "N half"]:
        """By which angles the pairs of features turn at these positions, in float64."""
        if self.scaling is None:
            return angles(positions, dim=self.dim, base=self.base)
        theta = self.scaling.frequencies(self.dim, self.base).to(positions.device)
        return positions.to(torch.float64).unsqueeze(-1) * theta

    def rotate(self, x: Float[Tensor, "*B N D"], start: int = 0) -> Float[Tensor, "*B N D"]:
        """Queries or keys turned to their positions, in the dtype they came in.

        Args:
            x: vectors in order.
            start: position of the first of them.

        Raises:
            ShapeError: no axis of positions, or fewer features than ``dim``.
            DtypeError: ``x`` is not floating point.
        """
        self._check(x, start)
        positions = torch.arange(start, start + x.shape[-2], device=x.device)
        theta = self.angles(positions)
        exact = torch.promote_types(x.dtype, torch.float32)
        cos, sin = theta.cos().to(exact), theta.sin().to(exact)
        if self.scaling is not None:
            cos, sin = cos * self.magnitude, sin * self.magnitude
        turned = _layouts[self.layout](x[..., : self.dim], cos, sin).to(x.dtype)
        rest = x[..., self.dim :]
        return torch.cat([turned, rest], dim=-1) if rest.shape[-1] else turned

    def forward(self, x: Float[Tensor, "*B N D"], start: int = 0) -> Float[Tensor, "*B N D"]:
        """The same as :meth:`rotate`."""
        return self.rotate(x, start)

    def extra_repr(self) -> str:
        """Width, base and layout."""
        scaling = "" if self.scaling is None else f", scaling={self.scaling!r}"
        return f"{self.dim}, base={self.base:g}, layout={self.layout!r}{scaling}"

    def _check(self, x: Tensor, start: int) -> None:
        require_whole("Rotary", "start", start)
        if x.dim() < 2 or x.shape[-1] < self.dim:
            raise ShapeError(
                f"Rotary needs vectors (*B, N, D) of at least {self.dim} features, "
                f"got {tuple(x.shape)}"
            )
        if not x.is_floating_point():
            raise DtypeError(f"Rotary needs floating-point vectors, got {x.dtype}")
