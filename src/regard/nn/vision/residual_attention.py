"""Residual attention: a trunk that computes and a mask that says where it matters."""

from torch import nn

from regard.errors import RangeError, ShapeError
from regard.functional.events import StoredWeights
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from ..base import AttentionModule
from .features import require_features
from .residual_unit import residual_units
from .soft_mask import Activation, SoftMask


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
            self.notify(StoredWeights(mask.detach()))
        return self.after((1 + mask) * trunk)
