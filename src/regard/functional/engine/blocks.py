"""Cutting a map of scores into row blocks, with the columns each block has to look at."""

from typing import NamedTuple

import torch

from regard.kernels.available import numba_available
from regard.types import Tensor

from ..masks import EMPTY, PARTIAL, Mask, Spans

BLOCK_ELEMENTS = 2**21
"""Scores held at once, over all leading axes; half as many without compiled kernels, because
tensor operations leave more of them behind and like them in the cache."""

TILE = 64
"""Columns that are skipped together."""

FEWEST_ROWS, MOST_ROWS = 16, 128
"""Fewer rows would re-read all keys too often; more would look past the edge of a narrow mask."""


class Block(NamedTuple):
    """Some rows, the columns that any of them may see, and whether the mask must be looked at."""

    rows: range
    columns: range | Tensor
    masked: bool


def row_blocks(
    mask: Mask | None, num_queries: int, num_keys: int, batch: int, device: torch.device
) -> list[Block]:
    """The map, block by block; columns that are empty for all rows of a block are left out.

    Args:
        mask: what may attend.
        num_queries: Q.
        num_keys: K.
        batch: product of the leading axes.
        device: where index tensors are made.
    """
    # There is little to leave out of one tile, and no compiler can follow what tiles hold.
    if mask is None or num_keys <= TILE or torch.compiler.is_compiling():
        size = rows_per_block(num_keys * batch, num_queries)
        starts = range(0, num_queries, size)
        rows = (range(i, min(i + size, num_queries)) for i in starts)
        return [Block(some, range(num_keys), mask is not None) for some in rows]
    columns = Spans.of(num_keys, TILE)
    sample = mask.tiles(Spans.of(num_queries, TILE), columns) != EMPTY
    seen = max(TILE, int(sample.sum() * TILE / max(1, len(sample)))) if sample.numel() else TILE
    size = min(rows_per_block(seen * batch, num_queries), MOST_ROWS)
    table = mask.tiles(Spans.of(num_queries, size), columns)
    return [
        Block(
            range(i * size, min((i + 1) * size, num_queries)),
            _columns(tiles, num_keys, device),
            bool((tiles == PARTIAL).any()),
        )
        for i, tiles in enumerate(table)
    ]


def rows_per_block(elements_per_row: int, num_queries: int) -> int:
    """How many rows fit the budget."""
    compiled = not torch.compiler.is_compiling() and numba_available()
    budget = BLOCK_ELEMENTS if compiled else BLOCK_ELEMENTS // 2
    return max(1, min(num_queries, max(FEWEST_ROWS, budget // max(1, elements_per_row))))


def _columns(tiles: Tensor, num_keys: int, device: torch.device) -> range | Tensor:
    """The columns of the tiles that are not empty: a range where they are neighbours."""
    active = tiles.ne(EMPTY).nonzero().flatten().tolist()
    if not active:
        return range(0)
    first, last = active[0], active[-1]
    if len(active) == last - first + 1:
        return range(first * TILE, min((last + 1) * TILE, num_keys))
    pieces = [torch.arange(i * TILE, min((i + 1) * TILE, num_keys)) for i in active]
    return torch.cat(pieces).to(device)
