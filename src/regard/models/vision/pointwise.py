"""A convolution of single positions, with a stride."""

from torch import nn

from regard.types import Float, Tensor


class Pointwise(nn.Conv2d):
    """A 1 × 1 convolution of every n-th row and column: what is left out is left out first.

    The same numbers as a stride of ``Conv2d``, with which torch 2.13 writes beyond its memory in
    the backward pass where pixels lie channels last and channels are no multiple of eight.
    """

    def __init__(self, channels: int, out_channels: int, *, step: int = 1, bias: bool = True):
        super().__init__(channels, out_channels, 1, bias=bias)
        self.step = step

    def forward(self, features: Float[Tensor, "B c Y X"]) -> Float[Tensor, "B C y x"]:
        """The chosen positions, each by itself."""
        if self.step > 1:
            features = features[..., :: self.step, :: self.step]
        return super().forward(features)
