"""Dynamic time warping: the path through a map that never goes back."""

from collections.abc import Sequence

import torch

from regard.errors import ShapeError
from regard.types import Float, Tensor

WIDTH = 7
"""Columns of the median filter, as Whisper has it."""


def warp(cost: Float[Tensor, "N M"]) -> list[tuple[int, int]]:
    r"""The cheapest path from the first pair to the last, by steps of one row, one column, or both.

    .. math:: D_{ij} = c_{ij} + \min(D_{i-1,j-1}, D_{i-1,j}, D_{i,j-1})

    Sakoe and Chiba 1978 (https://doi.org/10.1109/TASSP.1978.1163055). Of equal ways the one along
    both, then the one of a row.

    Raises:
        ShapeError: no row or no column.
    """
    if cost.dim() != 2 or not cost.numel():
        raise ShapeError(f"warp needs costs (N, M) of at least one pair, got {tuple(cost.shape)}")
    rows, columns = cost.shape
    table = cost.detach().double().cpu().tolist()
    inf = float("inf")
    total = [[inf] * (columns + 1) for _ in range(rows + 1)]
    total[0][0] = 0.0
    for i in range(rows):
        for j in range(columns):
            before = min(total[i][j], total[i][j + 1], total[i + 1][j])
            total[i + 1][j + 1] = table[i][j] + before
    i, j = rows, columns
    path = []
    while i and j:
        path.append((i - 1, j - 1))
        ways = (
            (total[i - 1][j - 1], i - 1, j - 1),
            (total[i - 1][j], i - 1, j),
            (total[i][j - 1], i, j - 1),
        )
        _, i, j = min(ways, key=lambda way: way[0])
    return path[::-1]


def monotone_cost(
    weights: Float[Tensor, "H T S"], *, heads: Sequence[int] | None = None, width: int = WIDTH
) -> Float[Tensor, "T S"]:
    """Costs for :func:`warp` from the weights of heads that follow speech: Whisper's recipe.

    Each head's weights are made z-scores over the queries of every key, smoothed along the keys by
    a median, and the mean over heads is turned, so that much weight is a low cost.

    Args:
        weights: of alignment heads.
        heads: which of them; all if not given.
        width: of the median filter, an odd number; 1 is none.
    """
    chosen = weights if heads is None else weights[list(heads)]
    wide = chosen.double()
    spread = wide.std(dim=-2, keepdim=True, unbiased=False).clamp(min=1e-12)
    scores = (wide - wide.mean(dim=-2, keepdim=True)) / spread
    return -_median(scores, width).mean(dim=0)


def _median(x: Float[Tensor, "H T S"], width: int) -> Float[Tensor, "H T S"]:
    """The median over a window of keys, the ends mirrored."""
    half = width // 2
    if half < 1 or x.shape[-1] <= half:
        return x
    padded = torch.nn.functional.pad(x, (half, half), mode="reflect")
    return padded.unfold(-1, width, 1).median(dim=-1).values
