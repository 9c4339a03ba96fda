"""Sentences as token numbers, and token-budget batches for systems that have none of their own."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor

from .protocol import Amount
from .sizes import BOS, EOS, PAD, UNK

Pair = tuple[list[int], list[int]]


class Padded(NamedTuple):
    """Some pairs side by side."""

    source: Tensor
    """(B, S), the end of the sentence last."""
    target_in: Tensor
    """(B, T), behind the token that begins a sentence."""
    target_out: Tensor
    """(B, T), the end of the sentence last."""


def vocabulary(folder: Path) -> dict[str, int]:
    """The number of every piece."""
    text = (folder / "vocabulary.txt").read_text(encoding="utf-8")
    return {piece: number for number, piece in enumerate(text.removesuffix("\n").split("\n"))}


def pairs(folder: Path, numbers: dict[str, int]) -> list[Pair]:
    """All pairs, without the tokens that begin and end sentences."""
    sides = []
    for side in ("source", "target"):
        lines = (folder / f"train.{side}").read_text(encoding="utf-8").removesuffix("\n")
        rows = [line.split(" ") for line in lines.split("\n")]
        sides.append([[numbers.get(piece, UNK) for piece in row] for row in rows])
    return list(zip(*sides, strict=True))


def steps(pair: Pair) -> int:
    """The longer side of a pair, with its end."""
    return max(map(len, pair)) + 1


def batches(examples: list[Pair], max_tokens: int) -> Iterator[Padded]:
    """Epochs without end: pairs of one length together, the batches in another order every time.

    Args:
        examples: the pairs.
        max_tokens: rows times the longer side, at most.
    """
    random = Random(0)
    while True:
        random.shuffle(examples)
        planned = plan(sorted(examples, key=lambda pair: (steps(pair), len(pair[1]))), max_tokens)
        random.shuffle(planned)
        yield from map(padded, planned)


def plan(examples: list[Pair], max_tokens: int) -> list[list[Pair]]:
    """Neighbours together, as many as the budget allows and one at least."""
    found: list[list[Pair]] = []
    longest = 0
    for pair in examples:
        longest = max(longest, steps(pair))
        if not found or (len(found[-1]) + 1) * longest > max_tokens:
            found.append([])
            longest = steps(pair)
        found[-1].append(pair)
    return found


def padded(chosen: list[Pair]) -> Padded:
    """A batch as tensors."""
    return Padded(
        filled([[*source, EOS] for source, _ in chosen]),
        filled([[BOS, *target] for _, target in chosen]),
        filled([[*target, EOS] for _, target in chosen]),
    )


def filled(rows: list[list[int]]) -> Tensor:
    """Rows filled up to the longest."""
    width = max(map(len, rows))
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


def amount(batch: Padded) -> Amount:
    """The size of a batch."""
    rows, source_width = batch.source.shape
    return Amount(
        rows=rows,
        source_tokens=int(batch.source.ne(PAD).sum()),
        target_tokens=int(batch.target_out.ne(PAD).sum()),
        padded=rows * max(source_width, batch.target_out.shape[1]),
    )
