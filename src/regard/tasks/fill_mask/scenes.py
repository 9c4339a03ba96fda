"""Sentences with holes as scenes."""

from collections.abc import Iterable
from itertools import islice

from regard.data.grammar import Grammar
from regard.data.pairs.lines import composed
from regard.lens.scene import NOTHING, Scene
from regard.tasks.scenes import batched, lengths_of, padded, side

from .predictor import Filler

EVERY = 7
"""Of so many tokens one is a hole."""
SENTENCES = 128


def scenes(filler: Filler, lines: Iterable[str] | None) -> list[Scene]:
    """A line is a sentence, every seventh token a hole; our grammar's if there are none."""
    drawn = (one.source_text for one in islice(Grammar(seed=1), SENTENCES))
    texts = [composed(line).strip() for line in (drawn if lines is None else lines)]
    most = filler.model.config.longest or 512
    rows = [filler.codec.tokens.encode(text)[: most - 1] for text in texts if text]
    return [_scene(filler, group) for group in batched(rows, len)]


def _scene(filler: Filler, rows: list[list[int]]) -> Scene:
    model, tokens, config = filler.model, filler.codec.tokens, filler.model.config
    read, wanted = [], []
    for number, row in enumerate(rows):
        holes = {place for place in range(len(row)) if place % EVERY == number % EVERY}
        holes = holes or {0}
        read.append([config.start, *(config.mask if n in holes else x for n, x in enumerate(row))])
        wanted.append([NOTHING, *(x if n in holes else NOTHING for n, x in enumerate(row))])
    names = [["[CLS]", *tokens.pieces_of(row)] for row in rows]
    known = side(read, names, tokens.pad)
    return Scene(
        {"input": known},
        lambda ids: model(ids["input"], lengths_of(ids["input"], known)),
        padded(wanted, NOTHING),
        pad=tokens.pad,
        unknown=tokens.unk,
    )
