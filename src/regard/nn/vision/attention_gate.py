"""Attention gates: what a coarse map knows decides what of a fine one passes."""

import torch
from torch.nn.functional import interpolate

from regard.errors import ShapeError
from regard.functional.events import StoredWeights
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from ..base import AttentionModule
from .features import dimensions, require_features


@mechanism(
    "attention gate",
    family="vision",
    equation="α = σ(ψᵀ relu(W_x x + W_g g + b_g) + b_s),  α ⊙ x",
    cost="O((C + G) A) a position",
    paper=("Oktay 2018", "https://arxiv.org/abs/1804.03999"),
)
class AttentionGate(AttentionModule):
    r"""Additive attention of a coarse map over a fine one, a number between 0 and 1 per position.

    .. math:: q = \psi^\top \text{ReLU}(W_x^\top x_i + W_g^\top g_i + b_g) + b_\psi, \quad
              \alpha_i = \sigma(q), \quad \hat x_i = \alpha_i x_i

    Oktay et al. 2018, Eq. 1 and 2 (https://arxiv.org/abs/1804.03999). Theirs → ours: W_x →
    ``feature_proj``, W_g and b_g → ``signal_proj``, ψ and b_s → ``score_proj``, α → :meth:`gate`.
    Scores are found on the grid of the signal, to which the projected features are interpolated,
    and come back to theirs by linear interpolation. O((C + G) A) time per position.

    Args:
        channels: C of the features that are gated.
        signal_channels: G of the coarser map that gates them.
        hidden_dim: A, half of C if not given.
        dims: axes of the positions: 1, 2 or 3.
    """

    def __init__(
        self,
        channels: int,
        signal_channels: int,
        *,
        hidden_dim: int | None = None,
        dims: int = 2,
    ) -> None:
        super().__init__()
        width = max(1, channels // 2) if hidden_dim is None else hidden_dim
        require_sizes(self, channels=channels, signal_channels=signal_channels, hidden_dim=width)
        layers = dimensions(self, dims)
        self.channels, self.signal_channels, self.dims = channels, signal_channels, dims
        self.interpolation = layers.interpolation
        self.feature_proj = layers.convolution(channels, width, 1, bias=False)
        self.signal_proj = layers.convolution(signal_channels, width, 1)
        self.score_proj = layers.convolution(width, 1, 1)

    def gate(
        self, features: Float[Tensor, "B C *P"], signal: Float[Tensor, "B G *p"]
    ) -> Float[Tensor, "B 1 *P"]:
        """How far each position of the features is let through.

        Args:
            features: what is gated.
            signal: what gates it, usually on a coarser grid.
        """
        require_features(self, features, self.channels, self.dims)
        require_features(self, signal, self.signal_channels, self.dims)
        if len(features) != len(signal):
            raise ShapeError(
                f"AttentionGate needs a signal for each of {len(features)} pictures, got "
                f"{len(signal)}"
            )
        projected = self._resized(self.feature_proj(features), signal.shape[2:])
        score = self.score_proj(torch.relu(projected + self.signal_proj(signal)))  # (B, 1, *p)
        gate = self._resized(torch.sigmoid(score), features.shape[2:])  # (B, 1, *P)
        if self.watchers:
            self.notify(StoredWeights(gate.detach()))
        return gate

    def forward(
        self, features: Float[Tensor, "B C *P"], signal: Float[Tensor, "B G *p"]
    ) -> Float[Tensor, "B C *P"]:
        """The features, position by position times their gate."""
        return features * self.gate(features, signal)

    def _resized(self, x: Tensor, size: torch.Size) -> Tensor:
        if x.shape[2:] == size:
            return x
        return interpolate(x, size=size, mode=self.interpolation, align_corners=False)
