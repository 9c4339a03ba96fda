"""Cut sorted rows into batches under a token budget."""

from collections.abc import Sequence

import numpy as np

from .ragged import Positions


def by_length(steps: Positions, counts: Positions) -> Positions:
    """The order from short to long, of equal ones first what counts less; the rest stays."""
    return np.lexsort((counts, steps))


def cut(steps: Sequence[int], *, max_tokens: int, max_rows: int | None) -> list[slice]:
    """Neighbours in batches whose padded size, rows times the longest, is within the budget.

    A row that is longer than the budget is a batch of its own.

    Args:
        steps: the length of every row.
        max_tokens: the budget.
        max_rows: rows per batch at most.
    """
    found: list[slice] = []
    start = longest = 0
    for row, length in enumerate(steps):
        longest = max(longest, length)
        rows = row - start + 1
        too_many = max_rows is not None and rows > max_rows
        if rows > 1 and (rows * longest > max_tokens or too_many):
            found.append(slice(start, row))
            start, longest = row, length
    if len(steps):
        found.append(slice(start, len(steps)))
    return found
