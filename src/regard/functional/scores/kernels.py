"""Scores by distance: minus its square, and the kernels of Nadaraya–Watson regression.

Kernels are weights up to their sum: use them with ``normalise="proportional"``. Nadaraya 1964,
Watson 1964; Epanechnikov 1969.
"""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import torch

from regard.mechanism import mechanism
from regard.papers import NADARAYA_WATSON_1964
from regard.types import Tensor

from ..forms import Form, Inner, Radial, root
from ..masks import Mask
from ..tensors import readable, widened
from .base import Keys, Queries, Score, as_scalar, require_positive

WIDEST = 2.0**11
"""Squared reach of queries and keys in units of the width up to which the square is multiplied out.

Terms that cancel are no larger, so what is left of them is right to about 1e-4 in float32.
"""

FINE = 2.0**20
"""Widths up to which, and from whose inverse on, a square of the width is an ordinary number."""


@mechanism(
    "Euclidean", equation="e = −‖q − k‖² / w²", cost="O(Q K D), fused", paper=NADARAYA_WATSON_1964
)
@dataclass(frozen=True, eq=False, repr=False)
class Euclidean(Score):
    r"""Minus the squared distance: near keys score high.

    .. math:: e_{qk} = -\lVert q_q - k_k \rVert^2 / w^2
              = (2 \langle q_q, k_k \rangle - \lVert k_k \rVert^2 - \lVert q_q \rVert^2) / w^2

    The last term is the same for all keys of a query, so a softmax does not see it, and with keys
    of equal norm a softmax over distances is one over dot products.

    Args:
        width: w, the unit of distance; a number, or a tensor of one number that may be learned.
    """

    width: float | Tensor = 1.0

    name = "euclidean"
    content_only = True
    step = "s = −‖q − k‖² / w²"

    def __post_init__(self) -> None:
        require_positive(self.name, "width", self.width)

    def form(self, query: Queries, key: Keys) -> Form:
        """Distances, squared."""
        return Radial(query, key, torch.neg, as_scalar(self.width, query))

    def is_inner(self, mask: Mask | None = None) -> bool:
        """Up to the row constant, always."""
        return True

    def inner(self, query: Queries, key: Keys, mask: Mask | None = None) -> Inner | None:
        """Twice the dot product minus the squared norm of the key.

        Terms that cancel must be small. Where they are not, both sides are moved so that the mean
        of the keys lies at zero: distances stay. Where that does not help (one key far away, a
        width much below the range of the data), there is no such product; where nobody can look at
        the numbers, only in float64.
        """
        looked_at = readable(key)
        if not looked_at and key.dtype != torch.float64:
            return None
        query, key = widened(query), widened(key)
        inner = self._multiplied_out(query, key, looked_at=True) if looked_at else None
        return inner or self._multiplied_out(*_moved(query, key), looked_at=looked_at)

    def _multiplied_out(self, query: Queries, key: Keys, *, looked_at: bool) -> Inner | None:
        """The square without its last term; ``None`` if it is seen that terms would be large."""
        unit = 1.0
        if isinstance(self.width, float | int) and 1 / FINE <= self.width <= FINE:
            unit = self.width**2  # a number costs nothing: the kernel has a factor anyway
        else:
            width = as_scalar(self.width, query)
            query, key = query / width, key / width
        squares = torch.linalg.vecdot(key, key)  # those of norms have no second derivative at zero
        if looked_at and not _reach(query, squares) <= WIDEST * unit:
            return None
        return Inner(query, key, 2 / unit, squares * (-1 / unit))


def _moved(query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Both, moved by the mean of the keys; by nothing where it is no number."""
    if not key.shape[-2]:
        return query, key
    centre = key.detach().mean(dim=-2, keepdim=True)
    centre = torch.where(centre.isfinite(), centre, 0)
    return query - centre, key - centre


def _reach(query: Queries, squares: Tensor) -> float:
    """The square of the largest norm of a query and of a key together."""
    if not query.numel() or not squares.numel():
        return 0.0
    reach = torch.linalg.vector_norm(query.detach(), dim=-1).amax()
    reach = float(reach + squares.detach().amax().sqrt())
    return reach * reach  # a power of Python raises where this is infinite


@dataclass(frozen=True, eq=False, repr=False)
class Kernel(Score):
    """A function of the distance in units of a width.

    Args:
        width: w > 0; a number, or a tensor of one number that may be learned.
    """

    width: float | Tensor = 1.0

    content_only = True
    has_slope: ClassVar[bool] = True
    """Whether it has a gradient, so that its width can be learned."""

    def __post_init__(self) -> None:
        require_positive(self.name, "width", self.width)

    @staticmethod
    def profile(squared: Tensor) -> Tensor:
        """The kernel as a function of u², the square of distance / width."""
        raise AssertionError("each kernel has its own profile")

    def form(self, query: Queries, key: Keys) -> Radial:
        """The profile over pairwise distances."""
        return Radial(query, key, self.profile, as_scalar(self.width, query))


@mechanism(
    "Gaussian kernel",
    equation="e = exp(−½ ‖q − k‖² / w²)",
    cost="O(Q K D), fused in proportion",
    paper=NADARAYA_WATSON_1964,
)
class Gaussian(Kernel):
    r"""Gaussian kernel.

    .. math:: e_{qk} = \exp(-\tfrac12 \lVert q_q - k_k \rVert^2 / w^2)
    """

    name = "gaussian"
    step = "s = exp(−½ ‖q − k‖² / w²)"

    @staticmethod
    def profile(squared: Tensor) -> Tensor:
        """exp(−u²/2)."""
        return torch.exp(squared * -0.5)

    @property
    def logarithm(self) -> Euclidean:
        """Minus half the squared distance: in proportion to a Gaussian is a softmax of this."""
        return Euclidean(self.width * sqrt(2.0))


@mechanism(
    "boxcar kernel",
    equation="e = 1[‖q − k‖ ≤ w]",
    cost="O(Q K D), streamed",
    paper=NADARAYA_WATSON_1964,
)
class Boxcar(Kernel):
    r"""Boxcar kernel: near keys count alike, far ones not at all.

    .. math:: e_{qk} = 1[\lVert q_q - k_k \rVert \le w]

    Its gradient is zero wherever it has one.
    """

    name = "boxcar"
    has_slope = False
    step = "s = 1 if ‖q − k‖ ≤ w, else 0"

    @staticmethod
    def profile(squared: Tensor) -> Tensor:
        """1 up to u = 1, then 0."""
        return (squared <= 1).to(squared.dtype)


@mechanism(
    "Epanechnikov kernel",
    equation="e = max(0, 1 − ‖q − k‖ / w)",
    cost="O(Q K D), streamed",
    paper=("Epanechnikov 1969", "https://doi.org/10.1137/1114019"),
)
class Epanechnikov(Kernel):
    r"""Cone-shaped kernel, named after Epanechnikov in lectures on attention pooling.

    .. math:: e_{qk} = \max(0, 1 - \lVert q_q - k_k \rVert / w)
    """

    name = "epanechnikov"
    step = "s = max(0, 1 − ‖q − k‖ / w)"

    @staticmethod
    def profile(squared: Tensor) -> Tensor:
        """1 − u down to 0."""
        return torch.relu(1 - root(squared))
