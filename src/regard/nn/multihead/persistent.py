"""Keys and values that stand nowhere: every query may look at them."""

from dataclasses import dataclass

import torch
from torch import nn

from regard.functional.forms import Tile
from regard.functional.masks import Mask, Spans
from regard.functional.masks.base import EMPTY, FULL, PARTIAL
from regard.types import Bool, Float, Int, Tensor


class PersistentMemory(nn.Module):
    r"""Learned keys and values behind those of the input.

    .. math:: \text{attend}(Q, [K; P_k], [V; P_v])

    Sukhbaatar et al. 2019 (https://arxiv.org/abs/1907.01470); with one of each it is
    ``add_bias_kv`` of ``torch.nn.MultiheadAttention``. No mask bars them, no position turns them,
    and no cache holds them.

    Args:
        count: P, how many.
        num_key_heads: G.
        head_dim: D.
    """

    def __init__(self, count: int, num_key_heads: int, head_dim: int) -> None:
        super().__init__()
        self.count = count
        self.key = nn.Parameter(torch.empty(num_key_heads, count, head_dim))
        self.value = nn.Parameter(torch.empty(num_key_heads, count, head_dim))
        for each in (self.key, self.value):
            nn.init.normal_(each, std=head_dim**-0.5)

    def behind(
        self, key: Float[Tensor, "*B G K D"], value: Float[Tensor, "*B G K D"]
    ) -> tuple[Float[Tensor, "*B G KP D"], Float[Tensor, "*B G KP D"]]:
        """Both, with what is learned behind them."""
        return self.behind_keys(key), _behind(value, self.value)

    def behind_keys(self, key: Float[Tensor, "*B G K D"]) -> Float[Tensor, "*B G KP D"]:
        """The keys alone."""
        return _behind(key, self.key)

    def opened(self, mask: Mask | None, num_keys: int) -> Mask | None:
        """The mask of the input's keys, and of those that everyone may see behind them."""
        return None if mask is None else Opened(mask, num_keys)

    def extra_repr(self) -> str:
        """How many."""
        return f"{self.count}"


@dataclass(frozen=True, eq=False)
class Opened(Mask):
    """A mask over the first keys; all behind them are open to everyone.

    Args:
        part: the mask.
        keys: how many keys it is over.
    """

    part: Mask
    keys: int

    name = "opened"

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """What the mask says of its keys; of others, yes."""
        columns = at.columns
        own = Tile(at.rows, columns.clamp(max=max(0, self.keys - 1)), columns.device, at.elements)
        return self.part.allowed(own, axes) | (columns >= self.keys)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """Tiles with some of both are not empty."""
        last = max(0, self.keys - 1)
        own = Spans(columns.starts.clamp(max=last), columns.stops.clamp(max=max(1, self.keys)))
        told = self.part.tiles(rows, own)
        mixed = told.masked_fill((columns.stops > self.keys) & (told == EMPTY), PARTIAL)
        return mixed.masked_fill(columns.starts >= self.keys, FULL)

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """The mask must fit its keys."""
        self.part.check(leading, num_queries, self.keys)

    def covers(self, num_queries: int, num_keys: int) -> bool:
        """Everyone sees the last keys."""
        return num_keys > self.keys

    def tensors(self) -> list[Tensor]:
        """Those of the mask."""
        return self.part.tensors()


def _behind(x: Tensor, learned: Tensor) -> Tensor:
    return torch.cat([x, learned.to(x.dtype).expand(*x.shape[:-3], *learned.shape)], dim=-2)
