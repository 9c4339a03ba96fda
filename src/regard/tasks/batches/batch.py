"""What a training step gets: padded tensors."""

from typing import NamedTuple

import numpy as np
import torch

from ...types import Int, Tensor
from ..vocabulary.tokeniser import BOS, EOS, PAD
from .alignment import Alignment
from .corpus import Corpus
from .ragged import Numbers, Positions

NOBODY = -1
"""The index of a row that stands for no example."""


class Batch(NamedTuple):
    """Some examples side by side, short ones filled up with ``pad``."""

    source: Int[Tensor, "B S"]
    """Source tokens, ``eos`` at the end."""
    source_lengths: Int[Tensor, " B"]
    target_in: Int[Tensor, "B T"]
    """Target tokens behind ``bos``: what the decoder reads."""
    target_out: Int[Tensor, "B T"]
    """Target tokens and ``eos``: what it is to predict, position by position."""
    target_lengths: Int[Tensor, " B"]
    indices: Int[Tensor, " B"]
    """The number of each example in its corpus, to find its references; -1 for a row of nothing."""
    alignment: Alignment | None
    """``None`` if no example of the batch has gold."""
    total_tokens: int
    """Target tokens of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        alignment = self.alignment
        return self._replace(
            **{name: getattr(self, name).to(device) for name in _TENSORS},
            alignment=alignment and Alignment(*[part.to(device) for part in alignment]),
        )


_TENSORS = (
    "source",
    "source_lengths",
    "target_in",
    "target_out",
    "target_lengths",
    "indices",
)


def collated(corpus: Corpus, rows: Positions, *, indices: Positions, total_tokens: int) -> Batch:
    """The batch of these rows of ``corpus``; a batch of nothing if there are none.

    Args:
        corpus: where they are.
        rows: which.
        indices: what they are called.
        total_tokens: target tokens of the whole step.
    """
    if not len(rows):
        return nothing(total_tokens)
    sources = corpus.source.rows(rows)
    targets = corpus.target.rows(rows)
    return Batch(
        source=_padded(sources, after=EOS),
        source_lengths=torch.tensor([len(source) + 1 for source in sources]),
        target_in=_padded(targets, before=BOS),
        target_out=_padded(targets, after=EOS),
        target_lengths=torch.tensor([len(target) + 1 for target in targets]),
        indices=torch.from_numpy(indices.copy()),
        alignment=_alignment(corpus, rows),
        total_tokens=total_tokens,
    )


def nothing(total_tokens: int) -> Batch:
    """One row without a token to predict, for a rank that no example is left for."""
    one = torch.ones(1, dtype=torch.long)
    return Batch(
        source=torch.full((1, 1), EOS),
        source_lengths=one,
        target_in=torch.full((1, 1), BOS),
        target_out=torch.full((1, 1), PAD),
        target_lengths=one,
        indices=NOBODY * one,
        alignment=None,
        total_tokens=total_tokens,
    )


def _padded(
    rows: list[Numbers], *, before: int | None = None, after: int | None = None
) -> Int[Tensor, "B N"]:
    """Rows with one more token before or after them, in one array."""
    filled = np.full((len(rows), max(map(len, rows)) + 1), PAD, dtype=np.int64)
    start = 0 if before is None else 1
    for number, row in enumerate(rows):
        filled[number, start : start + len(row)] = row
        if before is not None:
            filled[number, 0] = before
        if after is not None:
            filled[number, len(row)] = after
    return torch.from_numpy(filled)


def _alignment(corpus: Corpus, rows: Positions) -> Alignment | None:
    """The links of these rows; the ends of both sentences belong together."""
    gold = corpus.gold[rows]
    if not gold.any():
        return None
    targets, sources = corpus.target.lengths_of(rows), corpus.source.lengths_of(rows)
    links = np.zeros((len(rows), int(targets.max()) + 1, int(sources.max()) + 1), dtype=np.bool_)
    for number, row in enumerate(corpus.links.rows(rows)):
        found = row.reshape(-1, 2)
        links[number, found[:, 0], found[:, 1]] = True
        links[number, targets[number], sources[number]] = gold[number]
    return Alignment(torch.from_numpy(links), torch.from_numpy(gold))
