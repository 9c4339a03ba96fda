"""Gates over channels and positions: squeeze and excitation, and both halves of CBAM."""

from abc import abstractmethod

import torch
from torch import nn

from regard.errors import RangeError
from regard.functional.events import StoredWeights
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import WOO_2018
from regard.types import Bool, Float, Tensor

from ..base import AttentionModule, require_choice
from .features import (
    PositionMask,
    allowed_positions,
    dimensions,
    max_over_positions,
    mean_over_positions,
    real_features,
    require_features,
)


class ChannelGate(AttentionModule):
    """One number between 0 and 1 per channel, by which all its positions are multiplied.

    A subclass says what describes the channels. Without biases, features of nothing but zeros open
    every gate halfway.
    """

    kind = "gate"

    def __init__(
        self,
        channels: int,
        reduction: int = 16,
        *,
        hidden_channels: int | None = None,
        bias: bool = False,
    ) -> None:
        super().__init__()
        require_sizes(self, channels=channels, reduction=reduction)
        hidden = max(1, channels // reduction) if hidden_channels is None else hidden_channels
        require_sizes(self, hidden_channels=hidden)
        self.channels = channels
        self.reduce_proj = nn.Linear(channels, hidden, bias=bias)
        self.expand_proj = nn.Linear(hidden, channels, bias=bias)

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
        hidden = torch.relu(self.reduce_proj(described))  # (n, B, C / r)
        gate = torch.sigmoid(self.expand_proj(hidden).sum(dim=0))  # (B, C)
        if self.watchers:
            self.notify(StoredWeights(gate.detach().unsqueeze(-2), kind="gate"))  # (B, 1, C)
        return gate

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features, channel by channel times their gate."""
        features = real_features(features, mask)
        gate = self.gate(features, mask)
        return features * gate[(..., *(None,) * (features.dim() - 2))]


@mechanism(
    "squeeze-and-excitation",
    family="vision",
    equation="s = σ(W₂ relu(W₁ mean(x))),  x ⊙ s",
    cost="O(C² / r + C H W)",
    paper=("Hu 2017", "https://arxiv.org/abs/1709.01507"),
)
class SqueezeExcitation(ChannelGate):
    r"""Channel attention from the mean of every channel.

    .. math:: z_c = \frac{1}{|P|} \sum_p u_{cp}, \quad
              s = \sigma(W_2 \, \text{ReLU}(W_1 z)), \quad \tilde{x}_c = s_c u_c

    Hu et al. 2017, Eq. 2 to 4 (https://arxiv.org/abs/1709.01507). Theirs → ours: W_1 →
    ``reduce_proj``, W_2 → ``expand_proj``, r → ``reduction``, s → :meth:`gate`. Sequences, images
    and videos alike. O(C P + C² / r) time.

    Args:
        channels: C.
        reduction: r, by which the hidden layer is narrower than C; it keeps at least one unit.
        hidden_channels: units of the hidden layer, where another number is wanted.
        bias: whether both maps have one, as in the networks that the authors of squeeze and
            excitation published; the equation has none.
    """

    def descriptors(
        self, features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None
    ) -> Float[Tensor, "1 B C"]:
        """The squeeze: the mean over all positions."""
        return mean_over_positions(features, allowed).unsqueeze(0)


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
        hidden_channels: units of the hidden layer, where another number is wanted.
        bias: whether both maps have one, as in the networks that the authors of squeeze and
            excitation published; the equation has none.
    """

    def descriptors(
        self, features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None
    ) -> Float[Tensor, "2 B C"]:
        """The mean and the maximum over all positions."""
        pooled = mean_over_positions(features, allowed), max_over_positions(features, allowed)
        return torch.stack(pooled)


@mechanism(
    "spatial attention",
    family="vision",
    equation="σ(conv([mean_c x; max_c x]))",
    cost="O(C H W)",
    paper=WOO_2018,
)
class SpatialAttention(AttentionModule):
    r"""One number between 0 and 1 per position, from its neighbourhood: *where* to look.

    .. math:: M_s(F) = \sigma\bigl(f^{7 \times 7}([F^s_{avg}; F^s_{max}])\bigr), \quad
              F' = M_s(F) \odot F

    Woo et al. 2018, Eq. 3 (https://arxiv.org/abs/1807.06521); mean and maximum are those over the
    channels of a position. Theirs → ours: f → ``convolution``, M_s → :meth:`gate`. Any number of
    channels. O(P (C + k^dims)) time.

    Args:
        kernel_size: k, how far a position looks around, an odd number.
        norm: what follows f, ``"none"`` as in the equation, or ``"batch"`` as in the networks that
            its authors published.
        dims: axes of the positions: 1, 2 or 3.
    """

    def __init__(self, kernel_size: int = 7, *, norm: str = "none", dims: int = 2) -> None:
        super().__init__()
        require_sizes(self, kernel_size=kernel_size)
        if kernel_size % 2 == 0:
            raise RangeError(
                "SpatialAttention needs an odd kernel_size, so that a position is the centre of "
                f"what it sees, got {kernel_size}"
            )
        require_choice("norm", norm, ("none", "batch"))
        self.dims = dims
        layers, around = dimensions(self, dims), kernel_size // 2
        self.convolution = layers.convolution(2, 1, kernel_size, padding=around, bias=False)
        self.norm = layers.batch_norm(1) if norm == "batch" else nn.Identity()

    def gate(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B 1 *P"]:
        """How far each position is let through.

        Args:
            features: what is looked at.
            mask: which positions are real: booleans (B, *P), or lengths (B,); the others count as
                the zeros around the map do.
        """
        require_features(self, features, dims=self.dims)
        described = torch.stack([features.mean(dim=1), features.amax(dim=1)], dim=1)  # (B, 2, *P)
        allowed = allowed_positions(features, mask)
        if allowed is not None:
            described = described.masked_fill(~allowed, 0)
        gate = torch.sigmoid(self.norm(self.convolution(described)))  # (B, 1, *P)
        if self.watchers:
            self.notify(StoredWeights(gate.detach(), kind="gate"))
        return gate

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features, position by position times their gate."""
        features = real_features(features, mask)
        return features * self.gate(features, mask)


@mechanism(
    "CBAM",
    family="vision",
    equation="spatial(channel(x))",
    cost="O(C² / r + C H W)",
    paper=WOO_2018,
)
class CBAM(AttentionModule):
    r"""Channel attention, then spatial attention over what it let through.

    .. math:: F' = M_c(F) \odot F, \quad F'' = M_s(F') \odot F'

    Woo et al. 2018, Eq. 1 (https://arxiv.org/abs/1807.06521). Theirs → ours: M_c → ``channel``,
    M_s → ``spatial``, which a capture shows under these names. O(C P + C² / r + P k^dims) time.

    Args:
        channels: C.
        reduction: r of :class:`ChannelAttention`.
        kernel_size: k of :class:`SpatialAttention`.
        hidden_channels: of :class:`ChannelAttention`.
        bias: of :class:`ChannelAttention`, which has them in the networks its authors published.
        norm: of :class:`SpatialAttention`, likewise ``"batch"`` there.
        dims: axes of the positions: 1, 2 or 3.
    """

    kind = "gate"

    def __init__(
        self,
        channels: int,
        *,
        reduction: int = 16,
        kernel_size: int = 7,
        hidden_channels: int | None = None,
        bias: bool = False,
        norm: str = "none",
        dims: int = 2,
    ) -> None:
        super().__init__()
        self.channel = ChannelAttention(
            channels, reduction, hidden_channels=hidden_channels, bias=bias
        )
        self.spatial = SpatialAttention(kernel_size, norm=norm, dims=dims)

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features, gated twice.

        Args:
            features: what is looked at.
            mask: which positions are real: booleans (B, *P), or lengths (B,).
        """
        return self.spatial(self.channel(features, mask), mask)
