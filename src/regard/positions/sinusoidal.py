"""Sinusoidal positions, and the angles that rotary ones share with them."""

import math
from typing import Literal

import torch

from regard.errors import DtypeError, RangeError
from regard.functional.value import require_sizes, require_whole
from regard.mechanism import mechanism
from regard.papers import VASWANI_2017
from regard.types import Float, Int, Tensor

from .joining import InputPosition, Join

Layout = Literal["halves", "pairs"]
"""Which features belong together: i and i + D/2 (``"halves"``), or 2i and 2i + 1 (``"pairs"``)."""


def angles(positions: Int[Tensor, "*N"], *, dim: int, base: float) -> Float[Tensor, "*N half"]:
    r"""Position times frequency, one column for each pair of features.

    .. math:: \theta_{p,i} = p / \text{base}^{2i/D}, \quad 0 \le i < \lceil D/2 \rceil

    In float64: at position 10⁶ a float32 angle is off by as much as 0.03, its sine by the same.
    """
    exponents = torch.arange(0, dim, 2, device=positions.device, dtype=torch.float64) / dim
    return positions.to(torch.float64).unsqueeze(-1) / base**exponents


def require_base(owner: str, base: float) -> None:
    """Raise unless ``base`` is a finite number above 1."""
    if isinstance(base, bool) or not isinstance(base, int | float):
        raise DtypeError(f"{owner} needs base as a number, got {type(base).__name__}")
    if not 1 < base < math.inf:
        raise RangeError(f"{owner} needs a finite base above 1, got {base}")


def require_length(owner: str, *, n: int, start: int) -> None:
    """Raise unless ``n`` is a number of positions, from none, and ``start`` a whole one."""
    require_whole(owner, "n", n)
    require_whole(owner, "start", start)
    if n < 0:
        raise RangeError(f"{owner} needs n of at least 0, got {n}")


def sinusoidal(
    n: int,
    dim: int,
    *,
    start: int = 0,
    base: float = 10000.0,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Float[Tensor, "n M"]:
    r"""Sines and cosines of falling frequency, one row per position.

    .. math:: PE_{p,2i} = \sin(p / \text{base}^{2i/M}), \quad
              PE_{p,2i+1} = \cos(p / \text{base}^{2i/M})

    Vaswani et al. 2017, section 3.5 (https://arxiv.org/abs/1706.03762). Theirs → ours: pos → p,
    d_model → M. Any position has a row. An odd width ends with a sine. Angles are float64.

    Args:
        n: how many positions.
        dim: M, the width.
        start: the first position.
        base: 10000 in the paper; wavelengths run from 2π to base · 2π.
        dtype: of the table; ``None`` is torch's default.
        device: of the table.

    Raises:
        RangeError: a size below its least, or a base of 1 or less.
    """
    require_sizes("sinusoidal", dim=dim)
    require_length("sinusoidal", n=n, start=start)
    require_base("sinusoidal", base)
    positions = torch.arange(start, start + n, device=device)
    return waves(positions, dim=dim, base=base).to(dtype or torch.get_default_dtype())


def waves(
    positions: Int[Tensor, "*N"], *, dim: int, base: float, layout: Layout = "pairs"
) -> Float[Tensor, "*N M"]:
    """Sine and cosine of every angle, in turn or all sines first, as float64."""
    theta = angles(positions, dim=dim, base=base)
    if layout == "halves":
        return torch.cat([theta.sin(), theta.cos()], dim=-1)[..., :dim]
    return torch.stack([theta.sin(), theta.cos()], dim=-1).flatten(-2)[..., :dim]


@mechanism(
    "sinusoidal positions",
    family="positions",
    equation="PE(p, 2i) = sin(p / 10000^{2i/d}),  PE(p, 2i+1) = cos(·)",
    cost="O(N M)",
    paper=VASWANI_2017,
)
class Sinusoidal(InputPosition):
    r"""Sinusoidal positions for the input; nothing is learned and no length is the last.

    .. math:: PE_{p,2i} = \sin(p / \text{base}^{2i/M}), \quad
              PE_{p,2i+1} = \cos(p / \text{base}^{2i/M})

    Vaswani et al. 2017, section 3.5 (https://arxiv.org/abs/1706.03762). O(N M) per call, whatever
    the batch. See :func:`sinusoidal` for the table itself.

    Args:
        dim: M, width of the vector of a position.
        base: 10000 in the paper.
        join: ``"add"``, as in the paper, or ``"concatenate"``.
        layout: ``"pairs"``, a sine beside its cosine, as in the paper, or ``"halves"``, all sines
            before all cosines, as in their code and in Marian's.
    """

    def __init__(
        self,
        dim: int,
        *,
        base: float = 10000.0,
        join: Join = "add",
        layout: Layout = "pairs",
    ) -> None:
        require_sizes("Sinusoidal", dim=dim)
        require_base("Sinusoidal", base)
        super().__init__(dim, join=join)
        self.base, self.layout = base, layout

    def encode(self, positions: Int[Tensor, "*N"]) -> Float[Tensor, "*N M"]:
        """The rows of these positions, as float64."""
        return waves(positions, dim=self.dim, base=self.base, layout=self.layout)
