"""Nadaraya-Watson regression, the attention that nobody called so."""

from math import log

import torch
from torch import nn

from regard.errors import ChoiceError
from regard.functional import scores
from regard.functional.scores.base import require_positive
from regard.functional.scores.kernels import Kernel
from regard.mechanism import mechanism
from regard.papers import NADARAYA_WATSON_1964
from regard.registry import Registry
from regard.types import Float, Tensor

from .base import AttentionModule
from .memory import KeyMask, key_mask


def kernel_named(name: str) -> type[Kernel]:
    """The kernel that is registered under ``name``.

    Raises:
        ChoiceError: no such kernel.
    """
    kernels: Registry[type[Kernel]] = Registry("kernel")
    for known, score in scores.named.classes.items():
        if issubclass(score, Kernel):
            kernels.add(known, score)
    return kernels[name]


@mechanism(
    "Nadaraya-Watson regression",
    family="pooling",
    equation="g(x) = Σᵢ yᵢ f(x, xᵢ) / Σⱼ f(x, xⱼ)",
    cost="O(Q K D)",
    paper=NADARAYA_WATSON_1964,
)
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
        self, kernel: str = "gaussian", *, width: float = 1.0, learnable: bool = False
    ) -> None:
        super().__init__()
        self._kernel = kernel_named(kernel)
        require_positive("NadarayaWatson", "width", width)
        if learnable and not self._kernel.has_slope:
            raise ChoiceError(
                f"NadarayaWatson needs a kernel with a gradient to learn its width, the {kernel} "
                "has none; take 'gaussian' or 'epanechnikov', or fit a NadarayaWatsonRegressor"
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
