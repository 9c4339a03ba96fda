"""What a model of glimpses learns from: the label, and the reward for where it looked."""

from typing import Literal, NamedTuple

import torch
from torch.nn.functional import cross_entropy

from regard.types import Float, Int, Tensor

from .glimpses import Walk


class WalkLoss(NamedTuple):
    """Sums over the pictures of a batch."""

    nll: Float[Tensor, ""]
    """Of the labels."""
    reinforce: Float[Tensor, ""]
    """Whose gradient makes places likelier that were better than expected."""
    baseline: Float[Tensor, ""]
    """How far the reward was from what was expected."""
    reward: Float[Tensor, ""]
    """Pictures whose label was right; it has no gradient."""

    @property
    def total(self) -> Float[Tensor, ""]:
        """What is minimised."""
        return self.nll + self.reinforce + self.baseline


def walk_loss(
    walk: Walk,
    labels: Int[Tensor, " B"],
    *,
    supervised: Literal["last", "every"] = "last",
    counted: Float[Tensor, " B"] | None = None,
) -> WalkLoss:
    r"""Cross entropy of the last state, REINFORCE with a learned baseline for the places.

    .. math:: \mathcal L = -\log p(y \mid h_T)
              - \sum_t (R - b_t) \log \pi(l_t \mid h_t) + \sum_t (R - b_t)^2

    Mnih et al. 2014, Eq. 2 and section 3.2 (https://arxiv.org/abs/1406.6247); Williams 1992. R is 1
    if the likeliest label is right and 0 otherwise; no gradient goes through R − b_t into b_t.

    Args:
        walk: over a batch.
        labels: that are right.
        supervised: whether the last state learns the label, or each, whose mean counts.
        counted: 1 for every picture that counts; all do if not given.
    """
    weight = torch.ones_like(walk.logits[:, 0]) if counted is None else counted
    told = walk.told if supervised == "every" else walk.told[:, -1:]  # (B, T, C)
    wanted = labels.unsqueeze(1).expand(told.shape[:2])
    nll = cross_entropy(told.mT, wanted, reduction="none").mean(dim=1)  # (B,)
    reward = (walk.logits.detach().argmax(dim=-1) == labels).to(nll.dtype)
    gap = reward.unsqueeze(-1) - walk.baselines[:, 1:]  # (B, T - 1): the first is no choice
    reinforce = -(gap.detach() * walk.log_probs[:, 1:]).sum(dim=-1)
    return WalkLoss(
        (nll * weight).sum(),
        (reinforce * weight).sum(),
        (gap.square().sum(dim=-1) * weight).sum(),
        (reward * weight).sum(),
    )
