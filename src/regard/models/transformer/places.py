"""The vectors of target positions, computed some at a time."""

import torch

from regard.types import Float, Tensor

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
        self._position, self._like, self._rows = position, like, list[Tensor]()

    def __getitem__(self, place: int) -> Float[Tensor, " M"]:
        while place >= len(self._rows):
            self._more()
        return self._rows[place]

    def _more(self) -> None:
        start, count = len(self._rows), AT_ONCE
        last = getattr(self._position, "num_positions", None)
        if last is not None:
            count = max(1, min(count, last - start))
        nothing = torch.zeros(1, count, *self._like.shape, dtype=self._like.dtype)
        self._rows += self._position(nothing.to(self._like.device), start)[0].unbind()
