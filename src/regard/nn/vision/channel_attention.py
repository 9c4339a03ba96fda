"""The channel half of CBAM."""

import torch

from regard.mechanism import mechanism
from regard.papers import WOO_2018
from regard.types import Bool, Float, Tensor

from .channel_gate import ChannelGate
from .features import max_over_positions, mean_over_positions


@mechanism(
    "channel attention",
    family="vision",
    equation="σ(MLP(mean x) + MLP(max x))",
    cost="O(C² / r + C H W)",
    paper=WOO_2018,
)
class ChannelAttention(ChannelGate):
    r"""Channel attention from mean and maximum of every channel: *what* to look at.

    .. math:: M_c(F) = \sigma\bigl(W_1 \, \text{ReLU}(W_0 F^c_{avg})
              + W_1 \, \text{ReLU}(W_0 F^c_{max})\bigr), \quad F' = M_c(F) \odot F

    Woo et al. 2018, Eq. 2 (https://arxiv.org/abs/1807.06521). Theirs → ours: W_0 →
    ``reduce_proj``, W_1 → ``expand_proj``, r → ``reduction``, M_c → :meth:`gate`. With the mean
    alone it is :class:`SqueezeExcitation`. O(C P + C² / r) time.

    Args:
        channels: C.
        reduction: r, by which the hidden layer is narrower than C; it keeps at least one unit.
    """

    def descriptors(
        self, features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None
    ) -> Float[Tensor, "2 B C"]:
        """The mean and the maximum over all positions."""
        pooled = mean_over_positions(features, allowed), max_over_positions(features, allowed)
        return torch.stack(pooled)
