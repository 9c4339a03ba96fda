"""Whether a model looks where it should: the peak of its map, and what its map covers."""

import torch

from regard.errors import ShapeError
from regard.types import Bool, Float, Tensor


def hits_target(heat: Float[Tensor, "Y X"], target: Bool[Tensor, "Yt Xt"]) -> bool:
    """Whether the largest weight of a map lies on what should be looked at: the pointing game.

    Zhang et al. 2016 (https://arxiv.org/abs/1608.00507), without their 15 pixels of tolerance. Of
    several largest weights the first counts.

    Args:
        heat: how much each pixel counts.
        target: which pixels should be looked at.

    Raises:
        ShapeError: of two sizes.
    """
    _require_alike(heat, target)
    return bool(target.flatten()[heat.flatten().argmax()])


def heat_iou(
    heat: Float[Tensor, "Y X"], target: Bool[Tensor, "Yt Xt"], *, threshold: float = 0.5
) -> float:
    r"""The IoU of a target with where a map is at least a share of its range above its least.

    .. math:: \{p : a_p \geq \min a + \tau (\max a - \min a)\}

    Gates never close wholly, so the least of them counts as nothing. A map without any difference
    covers everything.

    Args:
        heat: how much each pixel counts.
        target: which pixels should be looked at.
        threshold: τ, from 0 to 1.

    Raises:
        ShapeError: of two sizes.
    """
    _require_alike(heat, target)
    low, high = heat.min(), heat.max()
    covered = heat >= low + threshold * (high - low)
    union = (covered | target).sum()
    return float((covered & target).sum() / union) if union else 0.0


def _require_alike(heat: Tensor, target: Tensor) -> None:
    if heat.shape != target.shape:
        raise ShapeError(
            f"a map needs the size of its target, {tuple(target.shape)}, got {tuple(heat.shape)}; "
            "interpolate it"
        )


def inside(boxes: Float[Tensor, "n 4"], height: int, width: int) -> Bool[Tensor, "Y X"]:
    """Which pixels have their middle in one of some boxes.

    Args:
        boxes: edges in pixels.
        height: rows.
        width: columns.
    """
    x = torch.arange(width) + 0.5
    y = torch.arange(height) + 0.5
    left, top, right, bottom = (edge.unsqueeze(-1) for edge in boxes.unbind(-1))
    across, down = (left <= x) & (x < right), (top <= y) & (y < bottom)  # (n, X), (n, Y)
    return (down.unsqueeze(-1) & across.unsqueeze(-2)).any(dim=0)
