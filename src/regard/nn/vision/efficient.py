"""Efficient channel attention: every channel asks its neighbours."""

import math

import torch
from torch import nn

from regard.errors import RangeError
from regard.functional.events import StoredWeights
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from ..base import AttentionModule
from .features import (
    PositionMask,
    allowed_positions,
    mean_over_positions,
    real_features,
    require_features,
)


def neighbours(channels: int, *, gamma: float = 2.0, beta: float = 1.0) -> int:
    r"""How many channels decide together: the odd number next to a logarithm, 3 at least.

    .. math:: k = \left| \frac{\log_2 C + \beta}{\gamma} \right|_{odd}

    Wang et al. 2020, Eq. 12; an even whole part goes up to the next odd number.
    """
    whole = int(abs(math.log2(channels) + beta) / gamma)
    return max(3, whole if whole % 2 else whole + 1)


@mechanism(
    "efficient channel attention",
    family="vision",
    equation="s = σ(conv₁d(mean(x))),  x ⊙ s",
    cost="O(C k + C H W)",
    paper=("Wang 2020", "https://arxiv.org/abs/1910.03151"),
)
class EfficientChannelAttention(AttentionModule):
    r"""Channel attention by a convolution over the channels: k numbers to learn in all.

    .. math:: \omega = \sigma(\text{C1D}_k(y)), \quad y_c = \frac{1}{|P|} \sum_p x_{cp}, \quad
              \tilde{x}_c = \omega_c x_c

    Wang et al. 2020, Eq. 11 and 12 (https://arxiv.org/abs/1910.03151): ECA. No hidden layer, no
    bias; a channel is weighed by its k neighbours in the order they have. Theirs → ours: C1D →
    ``convolution``, ω → :meth:`gate`. O(C P + C k) time.

    Args:
        channels: C.
        kernel_size: k, an odd number; chosen by C as in the paper if not given.
    """

    def __init__(self, channels: int, kernel_size: int | None = None) -> None:
        super().__init__()
        require_sizes(self, channels=channels)
        chosen = neighbours(channels) if kernel_size is None else kernel_size
        require_sizes(self, kernel_size=chosen)
        if chosen % 2 == 0:
            raise RangeError(
                "EfficientChannelAttention needs an odd kernel_size, so that a channel is the "
                f"middle of those that decide about it, got {chosen}"
            )
        self.channels = channels
        self.convolution = nn.Conv1d(1, 1, chosen, padding=chosen // 2, bias=False)

    def gate(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C"]:
        """How far each channel is let through.

        Args:
            features: what is looked at.
            mask: which positions count: booleans (B, *P), or lengths (B,).
        """
        require_features(self, features, self.channels)
        mean = mean_over_positions(features, allowed_positions(features, mask))  # (B, C)
        gate = torch.sigmoid(self.convolution(mean.unsqueeze(1)).squeeze(1))
        if self.watchers:
            self.notify(StoredWeights(gate.detach().unsqueeze(-2)))  # (B, 1, C)
        return gate

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features, channel by channel times their gate."""
        features = real_features(features, mask)
        gate = self.gate(features, mask)
        return features * gate[(..., *(None,) * (features.dim() - 2))]
