"""Masks of an attention with heads: what a call may bring, and how it joins the module's own."""

import torch

from regard.errors import ShapeError
from regard.functional import masks
from regard.functional.engine.unseen import tamed
from regard.functional.forms import Tile
from regard.functional.masks import Dense, Mask
from regard.types import Bool, Tensor

from ..memory import KeyMask, key_mask

CallMask = Mask | Tensor | str
"""A mask, its name, booleans (*B, K), (*B, Q, K) or (*B, H, Q, K), or lengths (*B,)."""


def call_mask(mask: CallMask | None, batch_axes: int) -> Mask | None:
    """The mask of scores (*B, H, Q, K) behind what a call brought.

    Args:
        mask: what was passed; the number of its axes says what booleans stand for.
        batch_axes: how many axes ``*B`` is.

    Raises:
        ShapeError: booleans with too few or too many axes.
    """
    if mask is None or isinstance(mask, Mask | str):
        return masks.resolve(mask)
    if mask.dtype != torch.bool:
        return key_mask(mask)
    own = mask.dim() - batch_axes
    if not 1 <= own <= 3:
        raise ShapeError(
            f"a mask over {batch_axes} batch axes needs booleans (*B, K), (*B, Q, K) or "
            f"(*B, H, Q, K), got {tuple(mask.shape)}; wrap others in masks.dense, which broadcasts"
        )
    return keys_allowed(mask) if own == 1 else Dense(mask.unsqueeze(-3) if own == 2 else mask)


def keys_allowed(allowed: Bool[Tensor, "*B K"] | None) -> Mask | None:
    """The mask that lets every query and head see these keys."""
    return None if allowed is None else Dense(allowed.unsqueeze(-2).unsqueeze(-2))


def key_booleans(
    mask: KeyMask | None, keys: Tensor, batch_axes: int
) -> Bool[Tensor, "*B K"] | None:
    """One boolean per key of ``keys`` (*B, K, ·), whatever said so."""
    resolved = key_mask(mask)
    if resolved is None:
        return None
    leading, count = keys.shape[:batch_axes], keys.shape[-2]
    resolved.check(tuple(leading), 1, count)
    table = resolved.allowed(Tile(range(1), range(count), keys.device), batch_axes + 2)
    return table.expand(*leading, 1, count).squeeze(-2)


def both(first: Mask | None, second: Mask | None) -> Mask | None:
    """Pairs that both allow; ``None`` allows all."""
    if first is None or second is None:
        return first if second is None else second
    return first & second


def rows_alike(mask: Mask | None) -> bool:
    """Whether it is certain that all queries and heads of a sequence see the same keys."""
    return mask is None or all(map(_rows_alike, mask.conditions))


def _rows_alike(mask: Mask) -> bool:
    if isinstance(mask, Dense):
        return set(mask.tensor.shape[-3:-1]) == {1}
    lengths = mask.key_lengths()
    return lengths is not None and lengths.lengths.dim() < 2


def real_parts(
    x: Tensor, memory: Tensor | None, values: Tensor | None, mask: CallMask | None
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """What is looked at, and by whom, with numbers out of the ordinary as 0 where booleans (*B, K)
    or lengths say that nothing is real: projections have weights, which they would spoil.

    In self-attention the padding looks, too, and what it finds is nobody's.
    """
    keys = x if memory is None else memory
    if not isinstance(mask, Tensor) or keys.is_nested:
        return x, memory, values
    batch = keys.shape[:-2]
    if mask.shape not in (batch, keys.shape[:-1]):
        return x, memory, values
    if (mask.dtype == torch.bool) != (mask.shape == keys.shape[:-1]):
        return x, memory, values
    allowed = key_booleans(mask, keys, len(batch))
    assert allowed is not None
    real = allowed.unsqueeze(-1)  # (*B, K, 1)
    told = None if values is None else tamed(values, real)
    if memory is None or memory is x:
        found = tamed(x, real)
        return found, None if memory is None else found, told
    return x, tamed(memory, real), told
