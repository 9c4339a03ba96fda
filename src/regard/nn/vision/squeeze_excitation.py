"""Squeeze and excitation: channels that gate each other."""

from regard.mechanism import mechanism
from regard.types import Bool, Float, Tensor

from .channel_gate import ChannelGate
from .features import mean_over_positions


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
    """

    def descriptors(
        self, features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None
    ) -> Float[Tensor, "1 B C"]:
        """The squeeze: the mean over all positions."""
        return mean_over_positions(features, allowed).unsqueeze(0)
