"""What a detector of centres learns from: heat around the middle of each object, edges within.

Zhou et al. 2019, Eq. 1 (https://arxiv.org/abs/1904.07850); boxes as in Liu et al. 2019
(https://arxiv.org/abs/1909.00700).
"""

import math
from typing import NamedTuple

import torch
from torch.nn.functional import logsigmoid

from regard.data.regions import Pictured
from regard.measures.iou import paired_generalised_iou
from regard.models.vision import CentreMaps
from regard.models.vision.detector import boxes_of
from regard.training.objective import Loss
from regard.types import Float, Int, Tensor

SPREAD = 0.54 / 6
"""The deviation of an object's heat, as a share of its side."""
WITHIN = 0.1
"""Heat from which on a place tells the edges of an object."""
BOX_WEIGHT = 2.0
"""Of the boxes beside the heat."""
ALPHA, BETA = 2, 4
"""Powers of the focal loss: what is easy counts little, and so does what lies near a centre."""


class CentreTargets(NamedTuple):
    """What a map should say."""

    heat: Float[Tensor, "B C y x"]
    """1 at centres, less around them."""
    owner: Int[Tensor, "B y x"]
    """The number of the object whose edges a place tells; -1 for none."""
    weights: Float[Tensor, "B y x"]
    """What a place counts among those of its object, all of which sum up to 1."""


def centre_targets(
    boxes: Float[Tensor, "B N 4"],
    labels: Int[Tensor, "B N"],
    *,
    classes: int,
    size: tuple[int, int],
    stride: int,
) -> CentreTargets:
    r"""Heat that falls off as a normal distribution from the place in the middle of each object.

    .. math:: Y_{cyx} = \max_{k: c_k = c} \exp\Bigl(-\frac{(x - \tilde x_k)^2}{2 \sigma_{w_k}^2}
              - \frac{(y - \tilde y_k)^2}{2 \sigma_{h_k}^2}\Bigr)

    Where several objects lie over each other, a place belongs to the smallest.

    Args:
        boxes: edges in pixels.
        labels: of the objects; ``NO_OBJECT`` where there is none.
        classes: how many there are; labels beyond count as no object.
        size: rows and columns of the map.
        stride: pixels between its places.
    """
    height, width = size
    there = (labels >= 0) & (labels < classes)
    across = _bell(boxes[..., 0], boxes[..., 2], width, stride)  # (B, N, x)
    down = _bell(boxes[..., 1], boxes[..., 3], height, stride)  # (B, N, y)
    bells = down.unsqueeze(-1) * across.unsqueeze(-2) * there[..., None, None]  # (B, N, y, x)
    heat = boxes.new_zeros(len(boxes), classes, height, width)
    where = labels.clamp(0, classes - 1)[..., None, None].expand(-1, -1, height, width)
    heat.scatter_reduce_(1, where, bells, reduce="amax")
    area = (boxes[..., 2:] - boxes[..., :2]).clamp(min=0).prod(dim=-1)  # (B, N)
    sizes = area[..., None, None].masked_fill(bells < WITHIN, math.inf)  # (B, N, y, x)
    if not labels.shape[1]:
        none = torch.full((len(boxes), height, width), -1, device=boxes.device)
        return CentreTargets(heat, none, heat.new_zeros(none.shape))
    smallest = sizes.min(dim=1)
    owner = torch.where(smallest.values.isinf(), -1, smallest.indices)  # (B, y, x)
    own = bells.gather(1, owner.clamp(min=0).unsqueeze(1))[:, 0] * (owner >= 0)
    totals = own.new_zeros(labels.shape).scatter_add_(
        1, owner.clamp(min=0).flatten(1), own.flatten(1)
    )
    share = totals.gather(1, owner.clamp(min=0).flatten(1)).view_as(own)
    return CentreTargets(heat, owner, own / share.clamp(min=1e-9))


def _bell(
    low: Float[Tensor, "B N"], high: Float[Tensor, "B N"], length: int, stride: int
) -> Float[Tensor, "B N n"]:
    """Along one axis: 1 at the place in the middle."""
    middle = ((low + high) / 2 / stride).floor().clamp(0, length - 1)
    deviation = ((high - low) / stride * SPREAD).clamp(min=1e-3)
    places = torch.arange(length, device=low.device, dtype=low.dtype)
    return torch.exp(-(((places - middle.unsqueeze(-1)) / deviation.unsqueeze(-1)) ** 2) / 2)


def focal(logits: Float[Tensor, "B C y x"], heat: Float[Tensor, "B C y x"]) -> Float[Tensor, " B"]:
    r"""How surprising the heat is, what is hard counting most; a sum for every picture.

    .. math:: -\sum \begin{cases} (1 - p)^\alpha \log p & Y = 1 \\
              (1 - Y)^\beta p^\alpha \log (1 - p) & \text{otherwise} \end{cases}
    """
    p = logits.sigmoid()
    centres = -((1 - p) ** ALPHA) * logsigmoid(logits)
    others = -((1 - heat) ** BETA) * p**ALPHA * logsigmoid(-logits)
    return torch.where(heat == 1, centres, others).flatten(1).sum(dim=1)


def centre_loss(found: CentreMaps, there: Pictured, counted: Float[Tensor, " B"]) -> Loss:
    """Focal loss of the heat, and what boxes lack of a generalised IoU of 1; sums over objects.

    Args:
        found: by a detector.
        there: what is in the pictures.
        counted: 1 for every picture that counts.
    """
    classes, *size = found.heat.shape[1:]
    height, width = size
    targets = centre_targets(
        there.boxes, there.labels, classes=classes, size=(height, width), stride=found.stride
    )
    heat = focal(found.heat, targets.heat)
    boxes = boxes_of(found).permute(0, 2, 3, 1)  # (B, y, x, 4)
    picture = torch.arange(len(boxes), device=boxes.device).view(-1, 1, 1)
    if there.boxes.shape[1]:
        wanted = there.boxes[picture, targets.owner.clamp(min=0)]  # (B, y, x, 4)
        missed = 1 - paired_generalised_iou(boxes, wanted)
        box = (targets.weights * missed).flatten(1).sum(dim=1)
    else:
        box = 0 * boxes.flatten(1).sum(dim=1)
    heat, box = (heat * counted).sum(), (box * counted).sum()
    return Loss(heat + BOX_WEIGHT * box, {"nll": heat.detach(), "box": box.detach()})
