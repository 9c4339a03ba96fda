r"""Additive scores (sums of tanh) in torch's operations, tile by tile: any device, no compiler.

Divisions and passes over memory are what costs, so some features share one. With y = 1 + x k for
x = e^{2q} and k = e^{2k}, a sum of w / y is a quotient of two polynomials,

.. math:: \frac{w_0}{y_0} + \frac{w_1}{y_1}
          = \frac{(w_0 + w_1) + w_1 x_0 k_0 + w_0 x_1 k_1}{1 + x_0 k_0 + x_1 k_1 + x_0 x_1 k_0 k_1}

and both are inner products of what belongs to the query with the products of keys 1, k_0, k_1,
k_0 k_1: two matrix products and one division per group of features.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

GROUPS = (4, 2, 1)
"""How many features share a division: the first that cannot overflow."""

REACH = {torch.float32: 75.0, torch.float64: 690.0}
"""The largest exponent of a product of y, with room for weights up to 2^16."""

TILE = 2**20
"""Numbers worked on together: few enough for the last cache, and enough that calls are few."""

FEATURES = 16
"""How many features the backward pass takes together."""

Share = Callable[[slice, slice, slice, Tensor], Tensor]
"""Fills the last argument with 1 / y of some features, sentences and rows, against all keys."""


def pair(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Scores (B, Q, K) from e^{2 q} (B, Q, A), e^{2 k} (B, K, A) and weights (A,)."""
    size = _group_size(query, key)
    over, under = _of_queries(_grouped(query, size), _grouped(weight, size))
    powers = _of_keys(_grouped(key, size))
    scores = weight.sum().repeat(*query.shape[:2], key.shape[1])
    for batch, rows in _tiles(scores, TILE):
        tile = scores[batch, rows]
        numerator, denominator = torch.empty_like(tile), torch.empty_like(tile)
        for group in range(len(powers)):
            right = powers[group, batch]
            torch.bmm(over[group, batch, rows], right, out=numerator)
            torch.bmm(under[group, batch, rows], right, out=denominator)
            tile.addcdiv_(numerator, denominator, value=-2)
    return scores


def pair_backward(
    query: Tensor, key: Tensor, weight: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients (B, Q, A), (B, K, A), (A,) of q, k and weight, from that of the scores (B, Q, K).

    With s = 1 / y, tanh is 1 - 2 s, its slope 4 s (1 - s).
    """
    x, k = _by_feature(query).unsqueeze(-1), _by_feature(key).reciprocal_().unsqueeze(-2)

    def share(some: slice, batch: slice, rows: slice, out: Tensor) -> Tensor:
        torch.add(x[some, batch, rows], k[some, batch], out=out)
        return torch.div(k[some, batch], out, out=out)

    return _gradients(share, weight, gradient)


def add_wide(scores: Tensor, query: Tensor, key: Tensor, weight: Tensor) -> None:
    """Add the sum over features of weight * tanh(query + key), with a real tanh, in place."""
    q, k = _by_feature(query).unsqueeze(-1), _by_feature(key).unsqueeze(-2)
    for batch, rows in _tiles(scores, TILE):
        hidden = torch.empty_like(scores[batch, rows])
        for d, factor in enumerate(weight.tolist()):
            torch.add(q[d, batch, rows], k[d, batch], out=hidden).tanh_()
            scores[batch, rows].add_(hidden, alpha=factor)


def wide_backward(
    query: Tensor, key: Tensor, weight: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """As :func:`pair_backward`, from the vectors themselves: 1 / y is a real sigmoid."""
    q, k = _by_feature(query).unsqueeze(-1), _by_feature(key).unsqueeze(-2)

    def share(some: slice, batch: slice, rows: slice, out: Tensor) -> Tensor:
        return torch.add(q[some, batch, rows], k[some, batch], out=out).mul_(-2).sigmoid_()

    return _gradients(share, weight, gradient)


def _gradients(share: Share, weight: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    width, (batch_size, num_queries, num_keys) = weight.shape[0], gradient.shape
    by_query = gradient.new_empty(width, batch_size, num_queries)
    by_key = gradient.new_zeros(width, batch_size, num_keys)
    by_weight = gradient.new_zeros(width, dtype=torch.float64)
    gradient = gradient.contiguous()
    for batch, rows in _tiles(gradient, TILE // FEATURES):
        tile = gradient[batch, rows]
        by_weight += tile.sum(dtype=torch.float64)  # of a tile, because torch copies to float64
        room = tile.new_empty(FEATURES, *tile.shape)
        for d in range(0, width, FEATURES):
            some = slice(d, d + FEATURES)
            part = share(some, batch, rows, room[: width - d])
            by_weight[some] -= 2 * (part.flatten(1) @ tile.flatten())
            torch.ops.aten.sigmoid_backward(tile, part, grad_input=part)  # g s (1 - s)
            torch.sum(part, -1, out=by_query[some, batch, rows])
            by_key[some, batch] += part.sum(-2)
    slope = 4 * weight
    return slope * by_query.permute(1, 2, 0), slope * by_key.permute(1, 2, 0), by_weight.to(weight)


def _tiles(scores: Tensor, size: int) -> Iterator[tuple[slice, slice]]:
    """Some sentences and some of their rows, ``size`` pairs or the least there can be."""
    batch, rows, columns = scores.shape
    together = max(1, size // (rows * columns))
    height = max(1, size // (together * columns))
    for sentence in range(0, batch, together):
        for row in range(0, rows, height):
            yield slice(sentence, sentence + together), slice(row, row + height)


def _group_size(query: Tensor, key: Tensor) -> int:
    """The first of :data:`GROUPS` for which no product of either side, or of both, overflows."""
    high = torch.stack([query.amax((0, 1)), key.amax((0, 1))]).log_()
    low = torch.stack([query.amin((0, 1)), key.amin((0, 1))]).log_()
    both = high.sum(0, keepdim=True).clamp_(min=0)
    reach = torch.cat([torch.maximum(high, -low), both])  # (3, A)
    return next(n for n in GROUPS if n == 1 or _grouped(reach, n).sum(1).amax() <= REACH[key.dtype])


def _by_feature(vectors: Tensor) -> Tensor:
    """(A, B, N) from (B, N, A), contiguous."""
    return vectors.permute(2, 0, 1).contiguous()


def _grouped(vectors: Tensor, size: int) -> Tensor:
    """(A / size, size, …) from (…, A). Zeros fill the last group."""
    padded = torch.nn.functional.pad(vectors, (0, -vectors.shape[-1] % size))
    return padded.unflatten(-1, (-1, size)).movedim((-2, -1), (0, 1)).contiguous()


def _of_queries(query: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Coefficients of numerator and denominator, (groups, B, Q, 2^size) each.

    One feature more turns n / p into (n y + w p) / (p y) with y = 1 + x k.
    """
    groups, size, *rest = query.shape
    over, under = query.new_zeros(2, groups, 2**size, *rest)
    under[:, 0] = 1
    for n in range(size):
        old, new = slice(0, 2**n), slice(2**n, 2 ** (n + 1))
        x, w = query[:, n : n + 1], weight[:, n, None, None, None]
        torch.mul(over[:, old], x, out=over[:, new])
        over[:, old].addcmul_(under[:, old], w)
        torch.mul(under[:, old], x, out=under[:, new])
    return over.movedim(1, -1), under.movedim(1, -1)


def _of_keys(key: Tensor) -> Tensor:
    """Products of the keys of every subset of a group, (groups, B, 2^size, K)."""
    groups, size, *rest = key.shape
    powers = key.new_ones(groups, 2**size, *rest)
    for n in range(size):
        torch.mul(powers[:, : 2**n], key[:, n : n + 1], out=powers[:, 2**n : 2 ** (n + 1)])
    return powers.transpose(1, 2)
