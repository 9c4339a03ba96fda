"""What gates over channels share: descriptors of a channel through one small network."""

from abc import abstractmethod

import torch
from torch import nn

from regard.functional.events import StoredWeights
from regard.functional.value import require_sizes
from regard.types import Bool, Float, Tensor

from ..base import AttentionModule
from .features import PositionMask, allowed_positions, require_features


class ChannelGate(AttentionModule):
    """One number between 0 and 1 per channel, by which all its positions are multiplied.

    A subclass says what describes the channels. The network has no biases, so that features of
    nothing but zeros open every gate halfway.
    """

    def __init__(self, channels: int, reduction: int = 16) -> None:
        super().__init__()
        require_sizes(self, channels=channels, reduction=reduction)
        self.channels = channels
        hidden_dim = max(1, channels // reduction)
        self.reduce_proj = nn.Linear(channels, hidden_dim, bias=False)
        self.expand_proj = nn.Linear(hidden_dim, channels, bias=False)

    @abstractmethod
    def descriptors(
        self, features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None
    ) -> Float[Tensor, "n B C"]:
        """What is known of each channel: n numbers."""

    def gate(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C"]:
        """How far each channel is let through.

        Args:
            features: what is looked at.
            mask: which positions count: booleans (B, *P), or lengths (B,).
        """
        require_features(self, features, self.channels)
        described = self.descriptors(features, allowed_positions(features, mask))
        hidden = torch.relu(self.reduce_proj(described))
        gate = torch.sigmoid(self.expand_proj(hidden).sum(dim=0))
        if self.watchers:
            self.notify(StoredWeights(gate.detach().unsqueeze(-2)))  # (B, 1, C)
        return gate

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features, channel by channel times their gate."""
        gate = self.gate(features, mask)
        return features * gate[(..., *(None,) * (features.dim() - 2))]
