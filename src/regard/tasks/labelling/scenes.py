"""Texts as scenes: what taggers and classifiers read."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from regard.data.annotated import Example
from regard.data.grammar import Grammar
from regard.lens.scene import Ids, Scene
from regard.tasks.scenes import batched, side
from regard.types import Tensor

from .corpus import encode

SENTENCES = 128


def scenes(predictor: Any, lines: Iterable[str] | None) -> list[Scene]:
    """A line is a text; our grammar's English sentences if there are none."""
    drawn = (one.source_text for one in islice(Grammar(seed=1), SENTENCES))
    texts = [line.strip() for line in (drawn if lines is None else lines) if line.strip()]
    read = [one for one in map(predictor._read, texts) if one.pieces]
    return [_scene(predictor, group) for group in batched(read, lambda one: len(one.pieces))]


def _scene(predictor: Any, texts: list[Any]) -> Scene:
    codec, model = predictor.codec, predictor.model
    examples = (Example(one.text, (), one.pieces) for one in texts)
    corpus = encode(examples, codec, per_word=True)
    rows = np.arange(len(texts))
    batch = corpus.batch(rows, indices=rows, num_targets=1)
    ids = [row[:n].tolist() for row, n in zip(batch.tokens, batch.lengths, strict=True)]
    known = side(ids, [one.pieces for one in texts], codec.tokens.pad)

    def forward(given: Ids) -> Tensor:
        changed = given["input"]
        if changed.shape == batch.tokens.shape:
            found: Tensor = model(changed, batch.lengths, batch.spelling)
        else:
            found = model(changed, changed.new_tensor([changed.shape[1]] * len(changed)))
        return found if found.dim() == 3 else found.unsqueeze(1)

    return Scene({"input": known}, forward, pad=codec.tokens.pad, unknown=codec.tokens.unk)
