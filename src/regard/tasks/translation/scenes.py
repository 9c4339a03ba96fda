"""Sentence pairs as scenes: what a translator reads, with gold links where they are known."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import torch

from regard.data.alignment import side as words_of
from regard.data.alignment import to_tokens
from regard.data.grammar import TAGS, Grammar
from regard.data.pairs import Links
from regard.lens.scene import NOTHING, Ids, Scene
from regard.models import Seq2Seq
from regard.tasks.scenes import batched, lengths_of, padded
from regard.tasks.scenes import side as side_of
from regard.types import Tensor

from .predictor import Translator
from .source import cleaned

PAIRS = 128
"""Of our grammar, if there are no others."""
TAG_NAMES = sorted(TAGS)
"""Part-of-speech tags by number."""


class _Pair(NamedTuple):
    source: list[int]
    target: list[int]
    links: list[tuple[int, int]] | None
    tags: list[int]


def scenes(translator: Translator, lines: Iterable[str] | None) -> list[Scene]:
    """Pairs, a line each with a tab between both texts; a line of one text is translated first."""
    texts = list(_drawn() if lines is None else _given(translator, lines))
    pairs = [_read(translator, *one) for one in texts]
    kept = [pair for pair in pairs if len(pair.source) > 1 and pair.target]
    groups = batched(kept, lambda one: max(len(one.source), len(one.target) + 1))
    return [_scene(translator, group) for group in groups]


Text = tuple[
    str, str, Links | None, tuple[tuple[str, ...], tuple[str, ...]] | None, tuple[str, ...]
]


def _drawn() -> Iterator[Text]:
    """Pairs of our grammar, of moderate length."""
    for pair in islice(Grammar(seed=1, split="valid"), PAIRS):
        words = (pair.source, pair.target)
        yield pair.source_text, pair.target_text, pair.alignment, words, pair.source_tags


def _given(translator: Translator, lines: Iterable[str]) -> Iterator[Text]:
    for line in lines:
        source, _, target = line.rstrip("\n").partition("\t")
        target = target.partition("\t")[0]
        if source.strip():
            own = target or translator.translate([source])[0].text
            yield cleaned(source), cleaned(own), None, None, ()


def _read(
    translator: Translator,
    source: str,
    target: str,
    links: Links | None,
    words: tuple[tuple[str, ...], tuple[str, ...]] | None,
    tags: tuple[str, ...],
) -> _Pair:
    here, there = translator.vocabularies
    found, number = None, []
    if links is not None and words is not None:
        sides = words_of(here, source, words[0]), words_of(there, target, words[1])
        found = to_tokens(links, source=sides[0], target=sides[1])
        number = [-1] * len(sides[0].pieces)
        for tag, tokens in zip(tags, sides[0].touching, strict=True):
            for place in tokens:
                number[place] = TAG_NAMES.index(tag)
    return _Pair([*here.encode(source), there.eos], there.encode(target), found, number)


def _scene(translator: Translator, pairs: list[_Pair]) -> Scene:
    model, (here, there) = translator.model, translator.vocabularies
    source = side_of(
        [one.source for one in pairs], [here.pieces_of(one.source) for one in pairs], there.pad
    )
    written = [[there.bos, *one.target] for one in pairs]
    target = side_of(written, [there.pieces_of(row) for row in written], there.pad)
    wanted = padded([[*one.target, there.eos] for one in pairs], NOTHING)
    ends = source.ids == there.eos
    source.classes["end"] = ends  # type: ignore[index]
    if any(one.tags for one in pairs):
        tags = padded([one.tags or [-1] for one in pairs], -1)
        width = source.ids.shape[1] - tags.shape[1]
        tags = torch.nn.functional.pad(tags, (0, width), value=-1)
        object.__setattr__(source, "tags", tags)

    def forward(ids: Ids) -> Tensor:
        return _logits(model, ids["input"], lengths_of(ids["input"], source), ids["target"])

    return Scene(
        {"input": source, "target": target},
        forward,
        wanted,
        _gold(pairs, target.ids, source.ids),
        causal=True,
        pad=there.pad,
        unknown=here.unk,
    )


def _logits(model: Seq2Seq, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
    decoded = model.decode_parallel(source, lengths, target)
    found: Tensor = model.output(decoded.features)
    return found


def _gold(pairs: list[_Pair], target: Tensor, source: Tensor) -> Tensor | None:
    if any(one.links is None for one in pairs):
        return None
    table = torch.zeros(len(pairs), target.shape[1], source.shape[1], dtype=torch.bool)
    for row, one in enumerate(pairs):
        for t, s in one.links or ():
            table[row, t, s] = True
    return table
