"""Intersection over union: of boxes, and of the pixels of each class."""

import torch

from regard.errors import InputError, ShapeError
from regard.types import Float, Int, Tensor


def box_iou(
    boxes: Float[Tensor, "boxes 4"], others: Float[Tensor, "others 4"]
) -> Float[Tensor, "boxes others"]:
    r"""How much each box and each other one have in common.

    .. math:: \text{IoU}(A, B) = \frac{|A \cap B|}{|A \cup B|}

    Jaccard 1912. Two boxes without area have nothing in common: 0, never NaN.

    Args:
        boxes: left, top, right and bottom edge of each.
        others: the same.
    """
    top_left = torch.maximum(boxes[:, None, :2], others[None, :, :2])  # (boxes, others, 2)
    bottom_right = torch.minimum(boxes[:, None, 2:], others[None, :, 2:])
    common = (bottom_right - top_left).clamp(min=0).prod(dim=-1)  # (boxes, others)
    union = box_area(boxes)[:, None] + box_area(others)[None] - common
    return torch.where(union > 0, common / union.where(union > 0, 1), 0)


def box_area(boxes: Float[Tensor, "boxes 4"]) -> Float[Tensor, " boxes"]:
    """Width times height; 0 for a box whose edges are the wrong way round."""
    return (boxes[:, 2:] - boxes[:, :2]).clamp(min=0).prod(dim=-1)


def class_iou(
    predicted: Int[Tensor, "*pixels"],
    gold: Int[Tensor, "*others"],
    classes: int,
    *,
    ignored: int | None = None,
) -> Float[Tensor, " classes"]:
    r"""Intersection over union of the pixels of each class; NaN for a class that is nowhere.

    .. math:: \text{IoU}_c = \frac{|\{\hat{y} = c\} \cap \{y = c\}|}
        {|\{\hat{y} = c\} \cup \{y = c\}|}

    The mean IoU of a picture or of a data set is ``class_iou(…).nanmean()``, Everingham et al.
    2010 (https://doi.org/10.1007/s11263-009-0275-4).

    Args:
        predicted: a class for each pixel, of one picture or of many.
        gold: the class that is right.
        classes: how many there are, counted from 0.
        ignored: a number in ``gold`` which says that a pixel does not count.

    Raises:
        ShapeError: more predictions than gold, or fewer.
        InputError: a number that is no class.
    """
    if predicted.shape != gold.shape:
        raise ShapeError(
            f"every pixel needs a prediction and gold, got {tuple(predicted.shape)} and "
            f"{tuple(gold.shape)}"
        )
    counts = torch.ones_like(gold, dtype=torch.bool) if ignored is None else gold != ignored
    ours, theirs = predicted[counts].long(), gold[counts].long()
    for side in (ours, theirs):
        if side.numel() and not 0 <= int(side.min()) <= int(side.max()) < classes:
            raise InputError(
                f"classes are counted from 0 to {classes - 1}, got {int(side.min())} to "
                f"{int(side.max())}"
            )
    table = torch.bincount(theirs * classes + ours, minlength=classes**2).view(classes, classes)
    hits = table.diagonal().double()  # (classes,)
    return hits / (table.sum(dim=0) + table.sum(dim=1) - hits)


def generalised_iou(
    boxes: Float[Tensor, "boxes 4"], others: Float[Tensor, "others 4"]
) -> Float[Tensor, "boxes others"]:
    r"""What boxes have in common, less the part of their hull that neither of them fills.

    .. math:: \text{GIoU}(A, B) = \text{IoU}(A, B) - \frac{|H \setminus (A \cup B)|}{|H|}

    of the smallest box H around both: from −1 to 1, and unlike IoU it says of boxes that do not
    touch how far apart they are. Rezatofighi et al. 2019 (https://arxiv.org/abs/1902.09630). A hull
    without area takes nothing away.

    Args:
        boxes: left, top, right and bottom edge of each.
        others: the same.
    """
    return paired_generalised_iou(boxes[:, None], others[None])


def paired_generalised_iou(
    boxes: Float[Tensor, "*#B 4"], others: Float[Tensor, "*#B 4"]
) -> Float[Tensor, "*B"]:
    """:func:`generalised_iou` of each box and the other one in its place."""
    top_left = torch.maximum(boxes[..., :2], others[..., :2])  # (*B, 2)
    bottom_right = torch.minimum(boxes[..., 2:], others[..., 2:])
    common = (bottom_right - top_left).clamp(min=0).prod(dim=-1)  # (*B)
    areas = [(one[..., 2:] - one[..., :2]).clamp(min=0).prod(dim=-1) for one in (boxes, others)]
    union = areas[0] + areas[1] - common
    outer = torch.maximum(boxes[..., 2:], others[..., 2:])
    inner = torch.minimum(boxes[..., :2], others[..., :2])
    hull = (outer - inner).clamp(min=0).prod(dim=-1)
    shared = torch.where(union > 0, common / union.where(union > 0, 1), 0)
    return shared - torch.where(hull > 0, (hull - union) / hull.where(hull > 0, 1), 0)
