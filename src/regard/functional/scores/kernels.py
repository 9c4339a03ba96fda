"""Kernels of Nadaraya–Watson regression: scores that are weights up to their sum.

Use them with ``normalise="proportional"``. Nadaraya 1964, Watson 1964; Epanechnikov 1969.
"""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import torch

from regard.mechanism import mechanism
from regard.papers import NADARAYA_WATSON_1964
from regard.types import Float, Tensor

from ..forms import Radial, root
from .base import Score, as_scalar, require_positive
from .distance import Euclidean


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

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Radial:
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
