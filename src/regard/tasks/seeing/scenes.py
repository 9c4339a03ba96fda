"""Pictures as scenes: places of a grid by number, so that they can be swapped and left out."""

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

import torch

from regard.data.scenes import Scenes
from regard.lens.maps import Tokens
from regard.types import Int, Tensor

from .eyes import opened

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURES = 32
"""Pictures of our own, if there are no others."""
AT_ONCE = 8
"""Pictures of a batch."""


def pictures_of(files: Iterable[str] | None) -> "list[Image]":
    """Pictures of files; scenes that are drawn if there are none.

    Raises:
        InputError: a file that is no picture.
    """
    drawn = islice(Scenes(seed=1, split="valid"), PICTURES)
    return [opened(one).image for one in (drawn if files is None else files)]


def places(pictures: int, rows: int, columns: int) -> Tokens:
    """The places of every picture, each with a number of its own.

    A number says which picture and which place: a batch whose numbers are swapped is one whose
    pictures are.
    """
    ids = torch.arange(pictures * rows * columns).view(pictures, -1)
    names = tuple(f"{y},{x}" for y in range(rows) for x in range(columns))
    return Tokens(ids, texts=(names,) * pictures, grid=(rows, columns))


def shown(ids: Int[Tensor, "B N"], known: Tokens) -> Int[Tensor, " B"]:
    """Which picture each row of numbers is of."""
    return ids[:, 0] // known.ids.shape[1]


def chosen(features: Tensor, ids: Int[Tensor, "B N"], known: Tokens) -> Tensor:
    """Those places (B, N, M) of all (B, K, M) that the numbers name."""
    at = (ids % known.ids.shape[1]).to(features.device)
    return features.gather(1, at.unsqueeze(-1).expand(*at.shape, features.shape[-1]))
