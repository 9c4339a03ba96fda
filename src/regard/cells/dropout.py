"""Dropout for recurrences: one mask for a whole sequence."""

from typing import NamedTuple

import torch
from torch.nn.functional import dropout

from regard.errors import RangeError
from regard.types import Float, Int, Tensor


class Masks(NamedTuple):
    """What a layer drops of its input and of its state, the same in every step of a sequence."""

    input: Float[Tensor, "*B D"]
    hidden: Float[Tensor, "*B H"]

    def reorder(self, rows: Int[Tensor, " b"]) -> "Masks":
        """The masks of these elements of the batch."""
        return Masks(self.input.index_select(0, rows), self.hidden.index_select(0, rows))


def draw(
    batch: tuple[int, ...], input_dim: int, hidden_dim: int, *, probability: float, like: Tensor
) -> Masks:
    r"""Masks of zeros and :math:`1/(1-p)`, as inverted dropout has them.

    Gal and Ghahramani 2016 (https://arxiv.org/abs/1512.05287), one mask for all gates.
    """
    input_mask, hidden_mask = (
        dropout(torch.ones(*batch, dim, dtype=like.dtype, device=like.device), probability)
        for dim in (input_dim, hidden_dim)
    )
    return Masks(input_mask, hidden_mask)


def require_probability(owner: str, what: str, value: float) -> None:
    """Raise unless ``value`` is from 0 to below 1."""
    if not 0 <= value < 1:
        raise RangeError(f"{owner} needs {what} from 0 to below 1, got {value}")
