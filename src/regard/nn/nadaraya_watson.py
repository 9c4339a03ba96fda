"""Nadaraya-Watson regression, the attention that nobody called so."""

from math import log
from typing import Literal

import torch
from torch import nn

from regard.errors import ChoiceError
from regard.functional.scores import Boxcar, Epanechnikov, Gaussian
from regard.functional.scores.base import require_positive
from regard.functional.scores.kernels import Kernel
from regard.registry import Registry
from regard.types import Float, Tensor

from .base import AttentionModule
from .memory import KeyMask, key_mask

KernelName = Literal["gaussian", "boxcar", "epanechnikov"]

KERNELS: Registry[type[Kernel]] = Registry("kernel")
for _kernel in (Gaussian, Boxcar, Epanechnikov):
    KERNELS.add(_kernel.name, _kernel)


class NadarayaWatson(AttentionModule):
    r"""Kernel regression: values averaged in proportion to how near their keys are.

    .. math:: g(x) = \sum_i y_i \, \frac{f(x, x_i)}{\sum_j f(x, x_j)}

    Nadaraya 1964 (https://doi.org/10.1137/1109020), Watson 1964
    (https://www.jstor.org/stable/25049340). Theirs → ours: x → ``query``, x_i → ``key``, y_i →
    ``value``, h → ``width``. The width is the exponential of what is stored, so it stays positive
    however it is learned. A query with no key within reach of the kernel gets zero weights and a
    zero context; a Gaussian reaches everywhere. O(Q K D) time, linear memory.

    Args:
        kernel: f, ``"gaussian"``, ``"boxcar"`` or ``"epanechnikov"``.
        width: the width, or the one to start learning from.
        learnable: whether the width is a parameter. The boxcar has no gradient to learn from.
    """

    log_width: Tensor

    def __init__(
        self, kernel: KernelName = "gaussian", *, width: float = 1.0, learnable: bool = False
    ) -> None:
        super().__init__()
        self._kernel = KERNELS[kernel]
        require_positive("NadarayaWatson", "width", width)
        if learnable and self._kernel is Boxcar:
            raise ChoiceError(
                "NadarayaWatson needs a kernel with a gradient to learn its width, the boxcar has "
                "none; take 'gaussian' or 'epanechnikov', or fit a NadarayaWatsonRegressor"
            )
        log_width = torch.tensor(log(width))
        if learnable:
            self.log_width = nn.Parameter(log_width)
        else:
            self.register_buffer("log_width", log_width)

    @property
    def width(self) -> Float[Tensor, ""]:
        """The width of the kernel, positive."""
        return self.log_width.exp()

    def score(self) -> Kernel:
        """The kernel with the width of this moment."""
        return self._kernel(self.width)

    def forward(
        self,
        query: Float[Tensor, "*#B Q D"],
        key: Float[Tensor, "*#B K D"],
        value: Float[Tensor, "*#B K E"],
        mask: KeyMask | None = None,
    ) -> Float[Tensor, "*B Q E"]:
        """The regression at each query.

        Args:
            query: where to predict.
            key: where something is known.
            value: what is known there.
            mask: which keys count: a mask, booleans (*B, K), or lengths (*B,).
        """
        return self.attend(
            query, key, value, score=self.score(), mask=key_mask(mask), normalise="proportional"
        )

    def extra_repr(self) -> str:
        """Kernel and width."""
        return f"{self._kernel.name}, width={self.width.item():.4g}"
