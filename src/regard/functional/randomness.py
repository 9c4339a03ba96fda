"""Random numbers that belong to a pair, not to an order of drawing.

Dropout and sampling need the same draw for the same pair whichever path computes it, in whichever
tiles, forward and again in the recomputed backward. So the numbers are a hash of (seed, batch
element, query position, key position): 32-bit integer mixing, carried out in 64-bit tensors.
"""

from math import prod

import torch

from regard.types import Float, Int, Tensor

from .forms import Tile

_LOW = 0xFFFFFFFF


def draw_seed(generator: torch.Generator | None) -> int:
    """A seed from ``generator``, or from torch's global one."""
    device = generator.device if generator is not None else torch.device("cpu")
    return int(torch.randint(2**31 - 1, (1,), generator=generator, device=device))


def _mixed(x: Int[Tensor, "*n"]) -> Int[Tensor, "*n"]:
    """Spread every bit of a 32-bit number over all bits."""
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & _LOW
    x = ((x ^ (x >> 15)) * 0x846CA68B) & _LOW
    return x ^ (x >> 16)


def uniform(seed: int | Tensor, leading: tuple[int, ...], at: Tile) -> Float[Tensor, "*B r c"]:
    """One number in (0, 1) for each pair of a tile, the same wherever the pair is met."""
    rows, columns = at.rows, at.columns
    elements = at.elements
    if elements is None:
        elements = torch.arange(prod(leading), device=rows.device)
    batch = elements.reshape(*leading, 1, 1)
    bits = _mixed(_mixed(_mixed(batch + seed & _LOW) + rows.unsqueeze(-1) & _LOW) + columns & _LOW)
    return (bits.double() + 0.5) * 2.0**-32


def dropped(
    weights: Float[Tensor, "*B r c"], probability: float, seed: int, at: Tile
) -> Float[Tensor, "*B r c"]:
    """``weights`` with each entry zeroed with this probability, the others scaled up to match."""
    keep = uniform(seed, tuple(weights.shape[:-2]), at) >= probability
    return weights * keep / (1 - probability)
