"""Data as scenes: batches that an examination can run a model on, as they are or changed."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import torch

from regard.errors import ChoiceError
from regard.lens.maps import Tokens
from regard.lens.scene import Scene
from regard.lens.tokens import kind_of
from regard.types import Int, Tensor

CLASSES = ("first", "end", "separator", "punctuation")
PACKAGES = {
    "translation": "regard.tasks.translation",
    "text-generation": "regard.tasks.text_generation",
    "fill-mask": "regard.tasks.fill_mask",
    "tagging": "regard.tasks.labelling",
    "text-classification": "regard.tasks.labelling",
    "captioning": "regard.tasks.captioning",
    "image-classification": "regard.tasks.image_classification",
}
"""Tasks whose models can be examined by their name alone, and where that is said."""
TOKENS = 1024
"""Padded tokens of a batch."""


def scenes_of(kind: str, predictor: Any, lines: Iterable[str] | None) -> list[Scene]:
    """Batches of lines as the models of a task read them: texts, or files of pictures.

    Without lines our own grammar is read, and scenes that are drawn.

    Raises:
        ChoiceError: models of this task are not examined by their name alone.
    """
    if kind not in PACKAGES:
        raise ChoiceError(
            f"models of {kind} are not examined by name; use regard.lens.census or doctor with "
            f"batches of your own. Known: {', '.join(PACKAGES)}."
        )
    found: list[Scene] = import_module(f"{PACKAGES[kind]}.scenes").scenes(predictor, lines)
    return found


def side(rows: Sequence[Sequence[int]], pieces: Sequence[Sequence[str]], pad: int) -> Tokens:
    """Rows of token numbers, padded, with what each token is."""
    lengths = torch.tensor([len(row) for row in rows])
    kinds = [[kind_of(piece) for piece in row] for row in pieces]
    width = int(lengths.max())

    def marked(name: str) -> Tensor:
        found = [[one == name for one in row] + [False] * (width - len(row)) for row in kinds]
        return torch.tensor(found)

    classes = {name: marked(name) for name in CLASSES}
    return Tokens(
        padded(rows, pad),
        lengths,
        tuple(map(tuple, pieces)),
        {name: which for name, which in classes.items() if which.any()},
    )


def padded(rows: Sequence[Sequence[int]], pad: int) -> Int[Tensor, "B N"]:
    """Rows of one length."""
    width = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows])


def lengths_of(ids: Tensor, known: Tokens) -> Int[Tensor, " B"]:
    """The lengths as they are known; of a sentence that was changed, all of it."""
    if ids.shape == known.ids.shape and known.lengths is not None:
        return known.lengths
    return torch.full((len(ids),), ids.shape[1])


def batched(rows: Sequence[Any], length: Any) -> list[list[Any]]:
    """Rows of like lengths together."""
    batches: list[list[Any]] = []
    for row in sorted(rows, key=length):
        if batches and (len(batches[-1]) + 1) * length(row) <= TOKENS:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches
