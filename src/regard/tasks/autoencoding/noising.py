"""Noise at work: on tokens by counters, so that it can be taken up anywhere, and on pixels."""

import numpy as np
import torch

from regard.data.batches.pools import Positions, Ragged
from regard.data.chance import uniform
from regard.types import Tensor, UInt8

from .noise import Noise


def noised(tokens: Ragged, noise: Noise, *, numbers: Positions, epoch: int, unknown: int) -> Ragged:
    """Texts with tokens dropped, hidden and moved; other ones in every epoch.

    Every draw is a hash of (seed, epoch, number of the text, place of the token): it depends on
    nothing that was drawn before, nor on the texts beside it.

    Args:
        tokens: the texts, none of them empty.
        noise: how much.
        numbers: what the texts are called.
        epoch: counted from 0.
        unknown: the token that stands for what is hidden.
    """
    row, place = _places(tokens)
    key = noise.seed, epoch, numbers[row]
    values = np.where(uniform(*key, place, 1) < noise.hidden, unknown, tokens.values)
    fate = uniform(*key, place, 0)
    surest = np.maximum.reduceat(fate, tokens.offsets[:-1])  # of every text one token stays
    kept = (fate >= noise.dropped) | (fate == surest[row])
    lengths = np.bincount(row[kept], minlength=len(tokens))
    found = Ragged(values[kept], np.concatenate([[0], np.cumsum(lengths)]))
    return _moved(found, noise, numbers, epoch) if noise.shuffled else found


def _moved(tokens: Ragged, noise: Noise, numbers: Positions, epoch: int) -> Ragged:
    r"""Tokens in the order of i + q, q drawn from [0, k + 1): none moves by more than k.

    Lample et al. 2018 (https://arxiv.org/abs/1711.00043).
    """
    row, place = _places(tokens)
    late = uniform(noise.seed, epoch, numbers[row], place, 2) * (noise.shuffled + 1)
    return Ragged(tokens.values[np.lexsort((place + late, row))], tokens.offsets)


def _places(tokens: Ragged) -> tuple[Positions, Positions]:
    """Of every token the text it belongs to, and where it stands there."""
    row = np.repeat(np.arange(len(tokens)), tokens.lengths)
    return row, np.arange(len(row)) - tokens.offsets[row]


def noised_pixels(pixels: UInt8[Tensor, "B 3 Y X"], noise: Noise) -> UInt8[Tensor, "B 3 Y X"]:
    """Pictures with pixels black and colours changed; what is drawn comes from torch's generator.

    Args:
        pixels: uint8.
        noise: how much.
    """
    if not noise:
        return pixels
    colours = pixels.float() / 255
    if noise.gaussian:
        colours = colours + noise.gaussian * torch.randn_like(colours)
    if noise.hidden:
        colours = colours.where(torch.rand_like(colours[:, :1]) >= noise.hidden, 0)
    return (colours.clamp(0, 1) * 255).round().to(torch.uint8)
