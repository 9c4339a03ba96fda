r"""The weights of sparsemax and entmax by tensor operations: on any device, rows are not sorted.

As in the compiled rows, :math:`z = (\alpha - 1)(e - \max e)`, and Newton runs from the left on the
convex q-norm of :math:`(z - \tau)_+` with :math:`q = 1 / (\alpha - 1)`. Each step raises the
threshold, so what has once fallen below it stays there and the excess can be lowered in place.
"""

import torch

from regard.types import Tensor

from ..forms import Pairs
from .base import Allowed

DEPTH = 16
MARGIN = 1e-5


@torch.no_grad()
def search(scores: Pairs, allowed: Allowed, alpha: float) -> Pairs:
    """Alpha-entmax over the last axis, which must not be empty."""
    shown = scores if allowed is None else scores.masked_fill(~allowed, -torch.inf)
    peak = shown.amax(-1, keepdim=True)
    empty = peak == -torch.inf
    peak = peak.masked_fill(empty, 0)
    z = shown - peak
    if alpha != 2:
        z.mul_(alpha - 1)
    if alpha > 2:
        # On [0, 1] a power below 1 lies above the identity: sparsemax is a lower bound.
        most = int((z > _bound(z, 2.0)).sum(-1).amax())
        candidates, places = shown.topk(max(most, 1), dim=-1)
        weights = (peak * 0).expand_as(shown).clone()
        return weights.scatter_(-1, places, _steep_weights(candidates, empty, alpha))
    excess = _clip(z.sub_(_bound(z, alpha)), alpha)
    _, total = _newton(excess, alpha, tolerance=4 * torch.finfo(z.dtype).eps)
    return _power(excess, alpha).div_(total.masked_fill_(empty, 1))


def _floor(alpha: float) -> float:
    """Where the excess ends: it is kept as it is, but for alpha near 1 less one.

    There it is close to one, and its high power hangs on the digits of the small difference.
    """
    return 0.0 if alpha > 1.2 else -1.0


def _clip(excess: Tensor, alpha: float) -> Tensor:
    return excess.relu_() if _floor(alpha) == 0 else excess.clamp_(min=-1)


def _bound(z: Tensor, alpha: float) -> Tensor:
    """What to take from z to have an excess that is nowhere too small.

    The threshold of a subset of the scores is never above that of all, and the maxima over every
    sixteenth score are a subset which has nearly all of the support. Taken from z at once, the
    bound also leaves more digits than the many steps that led to it.
    """
    start = -1 - _floor(alpha)
    width = z.shape[-1] // DEPTH
    lanes = z
    if width >= DEPTH:
        lanes = z[..., : width * DEPTH].unflatten(-1, (DEPTH, width)).amax(-2)
    risen, _ = _newton(_clip(lanes - start, alpha), alpha, tolerance=1e-3)
    return start + risen - MARGIN * (alpha - 1)


def _newton(excess: Tensor, alpha: float, tolerance: float) -> tuple[Tensor, Tensor]:
    """Lower the excess in place until the weights sum to one; return by how much, and the sum.

    A row that is done rests while others go on, so that no row changes another.
    """
    risen = torch.zeros_like(excess[..., :1])
    previous = torch.full_like(risen, torch.inf)
    while True:
        total, slope = _sums(excess, alpha)
        going = (total > 1 + tolerance) & (total < previous)
        if not bool(going.any()):
            return risen, total
        step = -torch.expm1((1 - alpha) * total.log()) * total / slope
        step = step.where(going, 0)
        _clip(excess.sub_(step), alpha)
        risen += step
        previous = total


def _sums(excess: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    """Sums of the weights, and of the excess to the power below."""
    if alpha == 2:
        return excess.sum(-1, keepdim=True), excess.sign().sum(-1, keepdim=True)
    if alpha == 1.5:
        return excess.square().sum(-1, keepdim=True), excess.sum(-1, keepdim=True)
    power = 1 / (alpha - 1) - 1
    if _floor(alpha) == 0:
        below = excess**power
        return (below * excess).sum(-1, keepdim=True), below.sum(-1, keepdim=True)
    below = torch.log1p(excess).mul_(power).exp_()
    slope = below.sum(-1, keepdim=True)
    return below.addcmul_(below, excess).sum(-1, keepdim=True), slope


def _power(excess: Tensor, alpha: float) -> Tensor:
    if alpha == 2:
        return excess
    if alpha == 1.5:
        return excess.square_()
    power = 1 / (alpha - 1)
    return torch.log1p(excess).mul_(power).exp_() if _floor(alpha) else excess.pow_(power)


def _steep_weights(scores: Tensor, empty: Tensor, alpha: float) -> Tensor:
    """Weights for alpha above 2, scores descending: find the support, then its smallest weight v.

    The weights are (d + v^(alpha - 1))^q with d the distance to the lowest score kept; their sum is
    convex in v, so that Newton comes from the right.
    """
    ratio, power = alpha - 1, 1 / (alpha - 1)
    lowest = _smallest_kept(scores, alpha)
    kept = scores >= lowest
    equal = scores == lowest
    distance = (scores - lowest).mul_(ratio).masked_fill_(~kept, 1)
    smallest = 1 / kept.sum(-1, keepdim=True).clamp_(min=1).to(scores.dtype)
    previous = torch.full_like(smallest, torch.inf)
    while True:
        lift = smallest**ratio
        excess = (distance + lift).masked_fill_(equal, 1)
        weights = (excess**power).where(~equal, smallest).masked_fill_(~kept, 0)
        total = weights.sum(-1, keepdim=True)
        going = (total > 1) & (total < previous)
        if not bool(going.any()):
            return weights.div_(total.masked_fill_(empty, 1)).masked_fill_(empty, 0)
        slope = (weights / excess * (lift / smallest)).masked_fill_(equal, 1)
        step = (total - 1) / slope.sum(-1, keepdim=True)
        smallest = smallest - step.where(going, 0)
        previous = total


def _smallest_kept(scores: Tensor, alpha: float) -> Tensor:
    """The lowest score in the support: the sum over all that are higher is still below one.

    Halves the range of undecided scores by testing one of them, so that ties and tiny gaps are
    decided by the sum, never by the digits of a threshold.
    """
    kept = scores[..., :1]
    out = kept - 1 / (alpha - 1)
    while True:
        undecided = (scores > out) & (scores < kept)
        if not bool(undecided.any()):
            return kept
        last = scores.masked_fill(~undecided, -torch.inf).amax(-1, keepdim=True)
        first = scores.masked_fill(~undecided, torch.inf).amin(-1, keepdim=True)
        lower = undecided & (scores <= first + (last - first) / 2)
        pivot = scores.masked_fill(~lower, -torch.inf).amax(-1, keepdim=True)
        total = (scores - pivot).clamp_(min=0).mul_(alpha - 1).pow_(1 / (alpha - 1))
        inside = total.sum(-1, keepdim=True) < 1
        open_row = pivot > -torch.inf
        kept = pivot.where(open_row & inside, kept)
        out = pivot.where(open_row & ~inside, out)
