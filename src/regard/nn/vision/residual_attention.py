"""Residual attention: a trunk that computes and a mask that says where it matters."""

from collections.abc import Callable
from typing import Literal

import torch
from torch import nn
from torch.nn.functional import interpolate, layer_norm, normalize

from regard.errors import RangeError, ShapeError
from regard.functional.events import StoredWeights
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from ..base import AttentionModule, require_choice
from .features import dimensions, require_features


class PreActivation(nn.Module):
    """Batch norm, ReLU, convolution: in this order.

    Args:
        channels: what comes in.
        out_channels: what goes out.
        kernel_size: an odd size; positions stay as many as they are.
        dims: axes of the positions.
    """

    def __init__(self, channels: int, out_channels: int, kernel_size: int, *, dims: int) -> None:
        super().__init__()
        layers = dimensions(self, dims)
        self.norm = layers.batch_norm(channels)
        self.convolution = layers.convolution(
            channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False
        )

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B c *P"]:
        """The convolution of what is positive after normalisation."""
        return self.convolution(torch.relu(self.norm(features)))


class ResidualUnit(nn.Module):
    r"""A bottleneck beside the identity.

    .. math:: y = x + W_3 * a(W_2 * a(W_1 * a(x))), \quad a = \text{ReLU} \circ \text{BatchNorm}

    He et al. 2016 (https://arxiv.org/abs/1603.05027): 1, then 3, then 1 wide, on a quarter of the
    channels.
    """

    def __init__(self, channels: int, *, dims: int = 2) -> None:
        super().__init__()
        narrow = max(1, channels // 4)
        self.reduce = PreActivation(channels, narrow, 1, dims=dims)
        self.look_around = PreActivation(narrow, narrow, 3, dims=dims)
        self.expand = PreActivation(narrow, channels, 1, dims=dims)

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
        """The features and what the bottleneck adds to them."""
        return features + self.expand(self.look_around(self.reduce(features)))


def residual_units(count: int, channels: int, *, dims: int) -> nn.Sequential:
    """So many units, one after the other; none are the identity."""
    return nn.Sequential(*(ResidualUnit(channels, dims=dims) for _ in range(count)))


Activation = Literal["mixed", "channel", "spatial"]


def mixed(scores: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
    """The sigmoid of each number by itself."""
    return torch.sigmoid(scores)


def channel(scores: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
    """The channels of a position as a vector of length 1, so that no position outweighs another."""
    return normalize(scores, dim=1)


def spatial(scores: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
    """The sigmoid after each channel's map has mean 0 and deviation 1."""
    return torch.sigmoid(layer_norm(scores, scores.shape[2:]))


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "mixed": mixed,
    "channel": channel,
    "spatial": spatial,
}


class Hourglass(nn.Module):
    """Positions pooled to half of each axis, looked at, and interpolated back.

    Args:
        channels: C.
        depth: how often positions are halved.
        num_units: residual units on the way down, and again on the way up, at each depth.
        dims: axes of the positions.
    """

    def __init__(self, channels: int, depth: int, num_units: int, *, dims: int) -> None:
        super().__init__()
        layers = dimensions(self, dims)
        self.interpolation = layers.interpolation
        self.pool = layers.max_pool(3, stride=2, padding=1)
        self.down = residual_units(num_units, channels, dims=dims)
        deeper = depth > 1
        self.inner = Hourglass(channels, depth - 1, num_units, dims=dims) if deeper else None
        self.skip = ResidualUnit(channels, dims=dims) if deeper else None
        self.up = residual_units(num_units, channels, dims=dims)

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
        """As many positions as came, each having seen its surroundings."""
        small = self.down(self.pool(features))
        if self.inner is not None and self.skip is not None:
            small = self.inner(small) + self.skip(small)
        return interpolate(self.up(small), size=features.shape[2:], mode=self.interpolation)


class SoftMask(nn.Module):
    """A number per channel and position, about how much it matters."""

    def __init__(
        self, channels: int, *, depth: int, num_units: int, activation: Activation, dims: int
    ) -> None:
        super().__init__()
        require_choice("activation", activation, ACTIVATIONS)
        self.activation = activation
        self.hourglass = Hourglass(channels, depth, num_units, dims=dims)
        units = (PreActivation(channels, channels, 1, dims=dims) for _ in range(2))
        self.head = nn.Sequential(*units)

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
        """M(x)."""
        return ACTIVATIONS[self.activation](self.head(self.hourglass(features)))


@mechanism(
    "residual attention",
    family="vision",
    equation="(1 + M(x)) ⊙ T(x)",
    cost="O(convolutions)",
    paper=("Wang 2017", "https://arxiv.org/abs/1704.06904"),
)
class ResidualAttention(AttentionModule):
    r"""The attention module of the residual attention network.

    .. math:: H(x) = (1 + M(x)) \odot T(x)

    Wang et al. 2017, Eq. 3 (https://arxiv.org/abs/1704.06904). T is the trunk branch, M the soft
    mask branch: an hourglass of max pooling, residual units and interpolation, two 1 × 1
    convolutions and an activation, Eq. 4 to 6:

    =========== ============================================================
    activation  M at channel c of position i, from the score x
    =========== ============================================================
    ``mixed``   f₁ = sigmoid(x)
    ``channel`` f₂ = x / ‖x_i‖, the norm over the channels of the position
    ``spatial`` f₃ = sigmoid((x − mean_c) / std_c), over the map of the channel
    =========== ============================================================

    Theirs → ours: p → ``num_outer_units``, t → ``num_trunk_units``, r → ``num_mask_units``. The 1 +
    M lets the trunk pass where the mask is 0, so that many modules can be stacked. In the paper
    ``depth`` falls from 3 to 1 as positions become fewer. O(P C²) time.

    Args:
        channels: C, at least 4 to be of use: bottlenecks have a quarter of them.
        depth: how often the mask branch halves the positions.
        activation: how the mask branch ends.
        num_outer_units: residual units before the branches part, and again after they meet.
        num_trunk_units: residual units of the trunk.
        num_mask_units: residual units between the poolings of the mask branch.
        trunk: a network of your own in place of the trunk's units; it keeps the shape.
        dims: axes of the positions: 1, 2 or 3.
    """

    kind = "gate"

    def __init__(
        self,
        channels: int,
        *,
        depth: int = 1,
        activation: Activation = "mixed",
        num_outer_units: int = 1,
        num_trunk_units: int = 2,
        num_mask_units: int = 1,
        trunk: nn.Module | None = None,
        dims: int = 2,
    ) -> None:
        super().__init__()
        require_sizes(self, channels=channels, depth=depth)
        for what, count in (
            ("num_outer_units", num_outer_units),
            ("num_trunk_units", num_trunk_units),
            ("num_mask_units", num_mask_units),
        ):
            if count < 0:
                raise RangeError(f"ResidualAttention needs {what} of at least 0, got {count}")
        self.channels, self.dims = channels, dims
        self.before = residual_units(num_outer_units, channels, dims=dims)
        own = residual_units(num_trunk_units, channels, dims=dims) if trunk is None else trunk
        self.trunk = own
        self.mask = SoftMask(
            channels, depth=depth, num_units=num_mask_units, activation=activation, dims=dims
        )
        self.after = residual_units(num_outer_units, channels, dims=dims)

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
        """What the trunk makes of the features, more where the mask says so."""
        require_features(self, features, self.channels, self.dims)
        features = self.before(features)
        trunk, mask = self.trunk(features), self.mask(features)
        if trunk.shape != mask.shape:
            raise ShapeError(
                f"ResidualAttention needs a trunk that keeps the shape, {tuple(mask.shape)}, "
                f"got {tuple(trunk.shape)}"
            )
        if self.watchers:
            self.notify(StoredWeights(mask.detach(), kind="gate"))
        return self.after((1 + mask) * trunk)
