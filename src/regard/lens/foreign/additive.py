"""Masks that are added: 0 and −∞, a bias, or both in one tensor."""

from typing import NamedTuple

import torch

from regard.functional import masks
from regard.functional.masks import Mask
from regard.functional.scores import Bias, Score
from regard.types import Bool, Float, Tensor

FORBIDDEN = -9_000.0
"""A number of this size or below, added to a score, leaves no weight: some models add −10,000."""


class Additive(NamedTuple):
    """A tensor that is added to scores, told apart: who may attend, and what is really added."""

    allowed: Bool[Tensor, "*B Q K"] | None
    bias: Float[Tensor, "*B Q K"] | None


def told_apart(mask: Tensor) -> Additive:
    """What a mask tensor of a model means.

    A row all of whose keys are forbidden by a large finite number is as if none were: the number
    cancels. Forbidden by −∞ or by a boolean it has no weights at all.
    """
    if mask.dtype == torch.bool:
        return Additive(mask, None)
    allowed = mask > FORBIDDEN  # (*B, Q, K)
    blank = ~allowed.any(dim=-1, keepdim=True) & torch.isfinite(mask)
    allowed = allowed | blank
    bias = mask.masked_fill(~allowed, 0)
    return Additive(allowed, bias if bias.any() else None)


def mask_and_score(mask: Tensor | None, score: Score) -> tuple[Mask | None, Score]:
    """The mask as one of ours, and the score with what the mask adds to it."""
    if mask is None:
        return None, score
    allowed, bias = told_apart(mask)
    term = score if bias is None else score + Bias(bias)
    return None if allowed is None else masks.dense(allowed), term
