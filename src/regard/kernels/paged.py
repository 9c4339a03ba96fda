"""Paged attention: keys and values in any rows of one matrix, found by a page table."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from regard.types import Bool, Float, Int, Tensor

from .available import numba_available
from .ragged import Heads
from .threads import over_rows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Pages:
    """Lists of rows of a matrix, and who looks at which list."""

    slots: Int[Tensor, "L n"]
    """The rows on each list; behind its end, any number that is a row."""
    counts: Int[Tensor, " L"]
    """How many rows a list has."""
    lists: Int[Tensor, " R"]
    """The list that each query looks at."""

    def read(self) -> Bool[Tensor, "L n"]:
        """Which slots are on their list, not behind its end."""
        columns = torch.arange(self.slots.shape[1], device=self.slots.device)
        return columns < self.counts.unsqueeze(-1)

    @cached_property
    def plain(self) -> tuple[Array, Array, Array]:
        """The numbers as the kernel wants them."""
        return self.slots.numpy(), self.counts.numpy(), self.lists.numpy()


def attend_paged(
    query: Float[Tensor, "R _"], pairs: Float[Tensor, "N _"], pages: Pages, heads: Heads
) -> Float[Tensor, "R HD"]:
    """Scaled-dot softmax attention of every query over the keys on its list; without gradients.

    Kwon et al. 2023 (https://arxiv.org/abs/2309.06180) call such lists block tables; here a block
    is one key. Compiled on a CPU with numba; elsewhere the keys are gathered first. Every list that
    is looked at needs a row.

    Args:
        query: queries in its first columns, heads side by side.
        pairs: keys and values side by side in its last columns, heads side by side.
        pages: which of them each query looks at.
        heads: of queries and keys.
    """
    compiled = query.device.type == "cpu" and numba_available()
    compiled = compiled and query.dtype in (torch.float32, torch.float64)
    return (_compiled if compiled else _gathered)(query, pairs, pages, heads)


def _compiled(query: Tensor, pairs: Tensor, pages: Pages, heads: Heads) -> Tensor:
    from .paged_numba import SECONDS, attend_rows

    context = query.new_empty(query.shape[0], heads.query * heads.width)
    read, keys, made = query.contiguous().numpy(), pairs.contiguous().numpy(), context.numpy()
    lists, plain, rows = pages.plain, heads.plain, query.shape[0]
    first, scale = pairs.shape[1] - 2 * heads.key * heads.width, heads.width**-0.5
    seconds = rows * lists[0].shape[1] * heads.query * SECONDS
    over_rows(attend_rows, rows, seconds, read, keys, first, lists, plain, scale, made)
    return context


def _gathered(query: Tensor, pairs: Tensor, pages: Pages, heads: Heads) -> Tensor:
    seen = pages.read()
    found = pairs[:, -2 * heads.key * heads.width :][
        pages.slots.masked_fill(~seen, 0)[pages.lists]
    ]  # (R, n, 2HD)
    # (2, R, G, n, D)
    key, value = found.unflatten(-1, (2, heads.key, heads.width)).permute(2, 0, 3, 1, 4)
    asking = query[:, : heads.query * heads.width]
    asking = asking.unflatten(-1, (heads.query, 1, heads.width))  # (R, H, 1, D)
    mask = seen[pages.lists][:, None, None]  # (R, 1, 1, n)
    grouped = heads.query != heads.key
    return scaled_dot_product_attention(asking, key, value, mask, enable_gqa=grouped).flatten(1)
