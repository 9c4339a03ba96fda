"""What classifiers of pictures may be trained by, by the ``criterion`` that a model names."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from torch.nn.functional import cross_entropy

from regard.models.vision.walking import walk_loss
from regard.registry import Registry
from regard.types import Float, Int, Tensor, UInt8

from .codec import UNKNOWN_LABEL


class Judged(NamedTuple):
    """Logits, and sums over a batch."""

    logits: Float[Tensor, "B V"]
    total: Float[Tensor, ""]
    """What is minimised."""
    parts: Mapping[str, Float[Tensor, ""]] = {}
    """What else is logged."""


Criterion = Callable[..., Judged]
criteria: Registry[Criterion] = Registry("criterion")
"""By name; those of users are added."""


def labels(
    model: Any, pixels: UInt8[Tensor, "B 3 Y X"], targets: Int[Tensor, " B"], smoothing: float
) -> Judged:
    """Cross entropy, smoothed if asked for; what a model without a criterion is trained by."""
    logits = model(pixels)  # (B, V)
    total = cross_entropy(
        logits,
        targets,
        ignore_index=UNKNOWN_LABEL,
        reduction="sum",
        label_smoothing=smoothing,
    )
    return Judged(logits, total)


def walk(
    model: Any, pixels: UInt8[Tensor, "B 3 Y X"], targets: Int[Tensor, " B"], smoothing: float
) -> Judged:
    """Cross entropy of what was said in the end, and the reward for where the eye went.

    The label is not smoothed: the reward is whether it is right.
    """
    found = model.walk(pixels)
    counted = (targets != UNKNOWN_LABEL).to(found.logits.dtype)
    how = model.config.supervised
    loss = walk_loss(found, targets.clamp(min=0), supervised=how, counted=counted)
    parts = {"reinforce": loss.reinforce.detach(), "baseline": loss.baseline.detach()}
    return Judged(found.logits, loss.total, parts)


criteria.add("labels", labels)
criteria.add("walk", walk)
