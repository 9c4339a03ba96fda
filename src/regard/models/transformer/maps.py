"""Linear maps, laid out for decoding."""

from torch import addmm, mm

from regard.types import Float, Tensor

WORTH_TURNING = range(12, 60)
"""Numbers of rows at which a product is faster with a matrix that is turned already: where MKL has
to turn it, it leaves all cores but one idle. Elsewhere there is no difference to speak of."""


class Map:
    """``x Wᵀ + b``.

    Args:
        weight: W.
        bias: b, or ``None``.
    """

    def __init__(self, weight: Float[Tensor, "N M"], bias: Float[Tensor, " N"] | None) -> None:
        self._turned, self._bias = weight.t(), bias

    def __call__(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "R N"]:
        """Every row, mapped; the matrix is turned as soon as that is worth while."""
        if x.shape[0] in WORTH_TURNING and not self._turned.is_contiguous():
            self._turned = self._turned.contiguous()
        return mm(x, self._turned) if self._bias is None else addmm(self._bias, x, self._turned)
