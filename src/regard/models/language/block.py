"""The block of a GPT: causal self-attention, then what every position computes for itself."""

from torch import nn

from regard.functional import masks
from regard.nn import Cache
from regard.nn.cache import CrossCache
from regard.nn.memory import KeyMask
from regard.types import Float, Tensor

from ..transformer.layers import Layer, feed_forward, heads
from ..transformer.positions import attended
from ..transformer.residual import residual
from .gpt_config import GPTConfig


class Block(Layer):
    """Lines 4 to 7 of DTransformer (Phuong and Hutter 2022, https://arxiv.org/abs/2207.09238)."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        back: masks.Mask = masks.causal()
        if config.window is not None:
            back = back & masks.window(config.window - 1, 0)
        self.attention = heads(config, mask=back, position=attended(config, causal=True))
        self.feed_forward = feed_forward(config)
        self.around_attention, self.around_feed_forward = residual(config), residual(config)

    def forward(self, x: Float[Tensor, "B T M"]) -> Float[Tensor, "B T M"]:
        """The states above ``x``, all positions at once."""
        found = self.attention(self.around_attention.enter(x))
        return self.computed(self.around_attention.leave(x, found))

    def step(
        self, x: Float[Tensor, "B n M"], cache: Cache | None, mask: KeyMask | None = None
    ) -> tuple[Float[Tensor, "B n M"], Cache]:
        """The states above the next positions, and the cache behind them.

        Args:
            x: one position or several.
            cache: keys and values of those before; ``None`` at the beginning.
            mask: which of the new positions are tokens; all if not given.
        """
        found, grown = self.attention.step(self.around_attention.enter(x), cache, mask)
        assert not isinstance(grown, CrossCache)
        return self.computed(self.around_attention.leave(x, found)), grown


def initialise(blocks: nn.ModuleList, width: int) -> None:
    """Normal matrices with a standard deviation of 1 / (2 √M), zero biases.

    At M = 768 that is the 0.02 of GPT-2 (Radford et al. 2019), as is the smaller start of maps that
    end in the residual stream, by 1/√(2 L).
    """
    std, into_stream = 0.5 * width**-0.5, (2 * len(blocks)) ** -0.5
    for name, parameter in blocks.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
        elif parameter.dim() > 1 and "proj" in name:
            nn.init.normal_(parameter, std=std * (into_stream if "output_proj" in name else 1.0))
