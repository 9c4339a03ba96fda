"""What object queries learn from: each object is the business of one query, as suits all best.

Carion et al. 2020, section 3.1 (https://arxiv.org/abs/2005.12872).
"""

from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

from regard.data.regions import Pictured
from regard.extras import need
from regard.measures.iou import generalised_iou, paired_generalised_iou
from regard.models.vision import Found, FoundSets
from regard.training.objective import Loss
from regard.types import Float, Int, Tensor

CLASS_WEIGHT, EDGE_WEIGHT, OVERLAP_WEIGHT = 1.0, 5.0, 2.0
NOTHING_WEIGHT = 0.1
"""Of queries that should find nothing: they are many."""


class Matches(NamedTuple):
    """Which query is for which object, over all pictures."""

    pictures: Int[Tensor, " n"]
    queries: Int[Tensor, " n"]
    objects: Int[Tensor, " n"]


def matched(found: Found, boxes: Float[Tensor, "B N 4"], labels: Int[Tensor, "B N"]) -> Matches:
    r"""The assignment of objects to queries that costs least, by the Hungarian algorithm.

    .. math:: \hat\sigma = \arg\min_\sigma \sum_k -\hat p_{\sigma(k)}(c_k)
              + \lambda_1 \lVert b_k - \hat b_{\sigma(k)} \rVert_1
              - \lambda_2\, \text{GIoU}(b_k, \hat b_{\sigma(k)})

    Distances are of centres and sizes. Kuhn 1955, as in scipy.

    Args:
        found: by the queries.
        boxes: edges of the objects as shares of the picture.
        labels: of the objects; negative where there is none.
    """
    assign = need("scipy.optimize", "matching objects and queries").linear_sum_assignment
    rows: list[tuple[Tensor, Tensor, Tensor]] = []
    shares = found.logits.detach().softmax(dim=-1)
    for picture in range(len(boxes)):
        objects = _there(labels[picture], shares.shape[-1] - 1)
        cost = _cost(
            shares[picture],
            found.boxes[picture].detach(),
            boxes[picture, objects],
            labels[picture, objects],
        )
        queries, numbers = (torch.as_tensor(part) for part in assign(cost.double().cpu().numpy()))
        rows.append((torch.full_like(queries, picture), queries, objects.cpu()[numbers]))
    return Matches(*(torch.cat(part).to(boxes.device) for part in zip(*rows, strict=True)))


def _there(labels: Int[Tensor, " N"], classes: int) -> Int[Tensor, " n"]:
    return ((labels >= 0) & (labels < classes)).nonzero()[:, 0]


def _cost(
    shares: Float[Tensor, "Q C1"],
    boxes: Float[Tensor, "Q 4"],
    wanted: Float[Tensor, "n 4"],
    labels: Int[Tensor, " n"],
) -> Float[Tensor, "Q n"]:
    edges = torch.cdist(centred(boxes), centred(wanted), p=1)
    overlap = generalised_iou(boxes, wanted)
    return -CLASS_WEIGHT * shares[:, labels] + EDGE_WEIGHT * edges - OVERLAP_WEIGHT * overlap


def centred(boxes: Float[Tensor, "*B 4"]) -> Float[Tensor, "*B 4"]:
    """Edges as centre, width and height."""
    low, high = boxes[..., :2], boxes[..., 2:]
    return torch.cat([(low + high) / 2, high - low], dim=-1)


def matched_loss(found: FoundSets, there: Pictured, counted: Float[Tensor, " B"]) -> Loss:
    r"""Of every layer: cross entropy of the classes, and of matched boxes L1 and generalised IoU.

    .. math:: \mathcal L = \sum_q -w_{c_q} \log \hat p_q(c_q)
              + \sum_k \lambda_1 \lVert b_k - \hat b_{\hat\sigma(k)} \rVert_1
              + \lambda_2 (1 - \text{GIoU}(b_k, \hat b_{\hat\sigma(k)}))

    Sums over queries and objects; the parts that are told are of the last layer.

    Args:
        found: by the queries, layer by layer.
        there: what is in the pictures.
        counted: 1 for every picture that counts.
    """
    size = there.boxes.new_tensor([found.width, found.height] * 2)
    boxes = there.boxes / size
    labels = there.labels.masked_fill(counted.unsqueeze(-1) == 0, -1)
    parts = [_of_layer(layer, boxes, labels, counted) for layer in found.layers]
    total = torch.stack([nll + box for nll, box in parts]).sum()
    nll, box = parts[-1]
    return Loss(total, {"nll": nll.detach(), "box": box.detach()})


def _of_layer(
    found: Found, boxes: Tensor, labels: Tensor, counted: Tensor
) -> tuple[Tensor, Tensor]:
    """Classes and boxes of one layer."""
    nothing = found.logits.shape[-1] - 1
    pairs = matched(found, boxes, labels)
    wanted = torch.full(found.logits.shape[:2], nothing, device=labels.device)
    wanted[pairs.pictures, pairs.queries] = labels[pairs.pictures, pairs.objects]
    weight = found.logits.new_ones(nothing + 1)
    weight[nothing] = NOTHING_WEIGHT
    nll = cross_entropy(found.logits.mT, wanted, weight, reduction="none")  # (B, Q)
    ours = found.boxes[pairs.pictures, pairs.queries]
    theirs = boxes[pairs.pictures, pairs.objects]
    edges = (centred(ours) - centred(theirs)).abs().sum()
    missed = (1 - paired_generalised_iou(ours, theirs)).sum()
    return (nll.sum(dim=1) * counted).sum(), EDGE_WEIGHT * edges + OVERLAP_WEIGHT * missed
