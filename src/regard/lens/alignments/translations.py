"""Views of translations: the model's own, or one that it is made to read."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from regard.errors import InputError, RangeError
from regard.evaluation.forced import Asked, forced
from regard.tasks.batches.alignment import Side, side_of
from regard.tasks.metrics import word_weights
from regard.tasks.vocabulary import Tokeniser, split
from regard.translation import Translation, Translator
from regard.translation.cleaning import cleaned
from regard.types import Float, Tensor

from .view import AlignmentView

Head = int | Literal["mean", "all"]
"""One head counted from 0, the mean of a layer's heads, or each of them."""


def translation_view(translation: Translation, title: str = "") -> AlignmentView | None:
    """A translation with its weights; ``None`` where there is nothing to draw.

    That is where one of the sentences is blank, the weights were not asked for, or the model does
    not look at its source.
    """
    source, target = translation.source_words, translation.target_words
    if translation.weights is None or not (source and target):
        return None
    return AlignmentView(source, target, translation.weights, title)


def forced_view(
    translator: Translator, source: str, target: str, *, title: str = ""
) -> AlignmentView:
    """A given translation, by the weights that a model tells of itself while it reads it.

    Args:
        translator: the model with its vocabularies.
        source: a sentence.
        target: any translation of it, good or bad.
        title: a line above the picture.

    Raises:
        InputError: a blank sentence, or a model that does not look at its source.
    """
    read = _read(translator, source, target, "alignment")
    return AlignmentView(read.source, read.target, read.weights[0, 0], title)


def head_views(
    translator: Translator,
    source: str,
    target: str,
    *,
    layer: int | None = None,
    head: Head = "all",
    title: str = "",
) -> list[AlignmentView]:
    """A translation, by some heads of the decoder's layers or by their means.

    Args:
        translator: the model with its vocabularies; one with a single attention has one layer of
            one head.
        source: a sentence.
        target: any translation of it.
        layer: counted from 0, or from the last backwards: -1; every layer if not given.
        head: which heads of it.
        title: what comes before the names of layer and head.

    Raises:
        RangeError: there is no such layer or head.
        InputError: a blank sentence, or a model that does not look at its source.
    """
    read = _read(translator, source, target, "heads")
    layers, heads = read.weights.shape[:2]
    _require("layer", layer, layers, least=-layers)
    _require("head", None if isinstance(head, str) else head, heads, least=0)
    chosen = range(layers) if layer is None else [layer % layers]
    return [
        AlignmentView(read.source, read.target, weights, f"{title}layer {number}, {name}")
        for number in chosen
        for name, weights in _named(read.weights[number], head)
    ]


class _Read(NamedTuple):
    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: Float[Tensor, "L H J I"]


def _read(translator: Translator, source: str, target: str, asked: Asked) -> _Read:
    """Both texts in words, and the weights between these."""
    texts = cleaned(source), cleaned(target)
    if not all(texts):
        raise InputError("an alignment needs a sentence and a translation, got a blank one")
    (read,) = forced(translator, [texts], asked=asked)
    if read.weights is None:
        raise InputError(
            "an alignment needs a model that looks at its source, "
            f"{type(translator.model).__name__} does not"
        )
    here, there = (
        _words(tokeniser, text, translator.longest)
        for tokeniser, text in zip(translator.vocabularies, texts, strict=True)
    )
    between = word_weights(read.weights, source=here.side, target=there.side)
    return _Read(here.words, there.words, between)


class _Words(NamedTuple):
    words: tuple[str, ...]
    side: Side


def _words(tokeniser: Tokeniser, text: str, longest: int) -> _Words:
    """The words of a text as far as it is read."""
    pieces = tokeniser.pieces(text)[:longest]
    text = tokeniser.text(pieces)
    words = tuple(split(text))
    return _Words(words, side_of(tokeniser.spans(pieces), text, words))


def _named(heads: Float[Tensor, "H J I"], head: Head) -> Iterator[tuple[str, Tensor]]:
    if head == "mean":
        yield "mean of its heads", heads.mean(dim=0)
        return
    for number in range(len(heads)) if head == "all" else [head]:
        assert isinstance(number, int)
        yield f"head {number}", heads[number]


def _require(what: str, number: int | None, count: int, *, least: int) -> None:
    if number is not None and not least <= number < count:
        raise RangeError(
            f"this model has {count} {what}{'s' * (count > 1)}, counted from 0, got {what} {number}"
        )
