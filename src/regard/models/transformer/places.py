"""The vectors of target positions, computed some at a time."""

import torch

from regard.types import Float, Int, Tensor

from .positions import Joined

AT_ONCE = 32
"""Positions that are computed together."""


class Places:
    """The vector that joins the input at each position; remembered, for steps come one by one.

    Args:
        position: what adds them.
        like: an embedding, for width, dtype and device.
    """

    def __init__(self, position: Joined, like: Float[Tensor, " M"]) -> None:
        self._position, self._rows = position, like.new_empty(0, *like.shape)

    def at(self, places: Int[Tensor, " R"], last: int) -> Float[Tensor, "R M"]:
        """The vectors of these positions, of which ``last`` is the highest."""
        while last >= len(self._rows):
            self._more()
        return self._rows.index_select(0, places)

    def _more(self) -> None:
        start, count = len(self._rows), AT_ONCE
        end = getattr(self._position, "num_positions", None)
        if end is not None:
            count = max(1, min(count, end - start))
        nothing = self._rows.new_zeros(1, count, self._rows.shape[1])
        self._rows = torch.cat([self._rows, self._position(nothing, start)[0]])
