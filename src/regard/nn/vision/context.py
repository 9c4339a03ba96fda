"""Global context: one look at all positions, told to every channel."""

from typing import Literal

import torch
from torch import nn

from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from ..base import AttentionModule, require_choice
from ..memory import key_mask
from .features import PositionMask, allowed_positions, real_features, require_features

EPSILON = 1e-6


class Bottleneck(nn.Module):
    """Two maps with layer norm and ReLU between them."""

    def __init__(self, channels: int, hidden_channels: int) -> None:
        super().__init__()
        self.reduce_proj = nn.Linear(channels, hidden_channels)
        self.norm = nn.LayerNorm(hidden_channels, eps=EPSILON)
        self.expand_proj = nn.Linear(hidden_channels, channels)

    def forward(self, x: Float[Tensor, "B C"]) -> Float[Tensor, "B C"]:
        """W_v2 ReLU(LN(W_v1 x))."""
        return self.expand_proj(torch.relu(self.norm(self.reduce_proj(x))))


@mechanism(
    "global context",
    family="vision",
    equation="c = Σⱼ αⱼ xⱼ, α = softmax(W_k x);  x + W₂ relu(LN(W₁ c))",
    cost="O(C² / r + C H W)",
    paper=("Cao 2019", "https://arxiv.org/abs/1904.11492"),
)
class GlobalContext(AttentionModule):
    r"""One context for all positions, transformed and given back to every one of them.

    .. math:: \alpha = \text{softmax}_j(W_k x_j), \quad c = \sum_j \alpha_j x_j, \quad
              z_i = x_i + W_{v2} \, \text{ReLU}(\text{LN}(W_{v1} c))

    Cao et al. 2019, Eq. 4 (https://arxiv.org/abs/1904.11492): a non-local block whose queries are
    all alike. Theirs → ours: W_k → ``key_proj``, W_v1 and W_v2 → those of ``add``. With ``fuse`` of
    ``"scale"`` the channels are multiplied by the sigmoid of it instead, which the paper compares
    in its section 4.1; with ``"both"`` they are scaled and then added to. It starts as the identity
    where it adds. O(C P + C² / r) time.

    Args:
        channels: C.
        reduction: r, by which the hidden layer is narrower than C.
        hidden_channels: units of the hidden layer, where another number is wanted.
        fuse: how the context comes to the positions.
    """

    def __init__(
        self,
        channels: int,
        reduction: int = 8,
        *,
        hidden_channels: int | None = None,
        fuse: Literal["add", "scale", "both"] = "add",
    ) -> None:
        super().__init__()
        require_sizes(self, channels=channels, reduction=reduction)
        require_choice("fuse", fuse, ("add", "scale", "both"))
        hidden = max(1, channels // reduction) if hidden_channels is None else hidden_channels
        require_sizes(self, hidden_channels=hidden)
        self.channels = channels
        self.key_proj = nn.Linear(channels, 1)
        self.scale = Bottleneck(channels, hidden) if fuse in ("scale", "both") else None
        self.add = Bottleneck(channels, hidden) if fuse in ("add", "both") else None
        if self.add is not None:
            nn.init.zeros_(self.add.expand_proj.weight)
            nn.init.zeros_(self.add.expand_proj.bias)

    def context(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C"]:
        """What is seen of the positions together.

        Args:
            features: what is looked at.
            mask: which positions may be: booleans (B, *P), or lengths (B,).
        """
        require_features(self, features, self.channels)
        allowed = allowed_positions(features, mask)
        tokens = features.flatten(2).mT  # (B, P, C)
        query = tokens.new_ones(1, 1)  # asks every position alike: its key is its score
        context = self.attend(
            query,
            self.key_proj(tokens),
            tokens,
            score="dot",
            mask=None if allowed is None else key_mask(allowed.flatten(1)),
        )
        return context.squeeze(-2)

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features with the context in every position."""
        features = real_features(features, mask)
        context = self.context(features, mask)
        everywhere = (..., *(None,) * (features.dim() - 2))
        if self.scale is not None:
            features = features * torch.sigmoid(self.scale(context))[everywhere]
        if self.add is not None:
            features = features + self.add(context)[everywhere]
        return features
