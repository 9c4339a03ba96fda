"""Running text as scenes: windows that a language model reads."""

from collections.abc import Iterable
from itertools import islice

import torch

from regard.data.grammar import Grammar
from regard.lens.scene import Scene
from regard.tasks.scenes import TOKENS, side

from .predictor import Generator

WINDOW = 64
"""Tokens of a window, as sinks are measured on."""


def scenes(generator: Generator, lines: Iterable[str] | None) -> list[Scene]:
    """Windows of lines; the English side of our grammar if there are none."""
    texts = (one.source_text for one in islice(Grammar(seed=1), 600)) if lines is None else lines
    ids = generator.codec.encode("\n".join(line.rstrip("\n") for line in texts)).tolist()
    longest = min(WINDOW, generator.model.config.longest or WINDOW)
    starts = range(0, max(1, len(ids) - longest), longest)
    rows = [ids[at : at + longest + 1] for at in starts]
    rows = [row for row in rows if len(row) == longest + 1] or [ids]
    several = max(1, TOKENS // longest)
    return [_scene(generator, rows[at : at + several]) for at in range(0, len(rows), several)]


def _scene(generator: Generator, rows: list[list[int]]) -> Scene:
    model, tokeniser = generator.model, generator.codec.tokeniser
    read = [row[:-1] for row in rows]
    known = side(read, [generator.codec.pieces(row) for row in read], tokeniser.pad)
    return Scene(
        {"input": known},
        lambda ids: model.output(model.features(ids["input"])),
        torch.tensor([row[1:] for row in rows]),
        causal=True,
        pad=tokeniser.pad,
        unknown=tokeniser.unk,
    )
