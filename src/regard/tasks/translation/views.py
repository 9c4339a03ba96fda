"""Views of translations, the model's own or one that it is made to read; drawn in the terminal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment

from regard.data.alignment import Side, side_of
from regard.data.vocabulary import Tokeniser, split
from regard.decoding import Limits
from regard.decoding.search import Strategy
from regard.errors import InputError, RangeError
from regard.lens.alignments import terminal
from regard.lens.alignments.view import END, AlignmentView
from regard.lens.words import heading
from regard.measures import word_shares
from regard.tasks.translation.evaluation.forced import Asked, teacher_forced
from regard.tasks.translation.predictor import Translator
from regard.tasks.translation.sample import Translation
from regard.tasks.translation.source import cleaned
from regard.types import Float, Tensor

Head = int | Literal["mean", "all"]
"""One head counted from 0, the mean of a layer's heads, or each of them."""


Unit = Literal["words", "tokens"]
"""What has a row or a column: words, or the tokens that the model reads and writes."""

SIDES = "source", "translation"
SPACE = "\N{OPEN BOX}"
"""Stands for a token of space."""


def translation_view(
    translation: Translation, title: str = "", *, unit: Unit = "words", model: str = ""
) -> AlignmentView | None:
    """A translation with its weights; ``None`` where there is nothing to draw.

    That is where one of the sentences is blank, the weights were not asked for, or the model does
    not look at its source.

    Args:
        translation: with its weights.
        title: a line above the picture.
        unit: what has a row or a column; tokens are drawn as the model looked, the end that it
            wrote included.
        model: its name.
    """
    source, target = translation.source_words, translation.target_words
    weights, end = translation.weights, translation.end
    if weights is None or not (source and target):
        return None
    if unit == "tokens" and translation.token_weights is not None:
        read, written = translation.source_tokens, translation.target_tokens
        source, target, weights, end = _tokens(read, written, translation.token_weights)
    texts = translation.source, translation.text
    return AlignmentView(
        source, target, weights, title, end=end, texts=texts, model=model, sides=SIDES
    )


def forced_view(
    translator: Translator,
    source: str,
    target: str,
    *,
    title: str = "",
    unit: Unit = "words",
    model: str = "",
) -> AlignmentView:
    """A given translation, by the weights that a model tells of itself while it reads it.

    Args:
        translator: the model with its vocabularies.
        source: a sentence.
        target: any translation of it, good or bad.
        title: a line above the picture.
        unit: what has a row or a column.
        model: its name.

    Raises:
        InputError: a blank sentence, or a model that does not look at its source.
    """
    return _read(translator, source, target, "alignment", unit).view(0, 0, title, model)


def head_views(
    translator: Translator,
    source: str,
    target: str,
    *,
    layer: int | None = None,
    head: Head = "all",
    title: str = "",
    unit: Unit = "words",
    model: str = "",
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
        unit: what has a row or a column.
        model: its name.

    Raises:
        RangeError: there is no such layer or head.
        InputError: a blank sentence, or a model that does not look at its source.
    """
    read = _read(translator, source, target, "heads", unit)
    layers, heads = read.weights.shape[:2]
    _require("layer", layer, layers, least=-layers)
    _require("head", None if isinstance(head, str) else head, heads, least=0)
    chosen = range(layers) if layer is None else [layer % layers]
    return [
        read.view(number, one, f"{title}layer {number}, {name}", model)
        for number in chosen
        for name, one in _named(heads, head)
    ]


class Looked(NamedTuple):
    """A translation and its views in one model."""

    target: str
    views: list[AlignmentView]


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What is to be drawn, for any model.

    Args:
        text: the sentence.
        translation: a translation of it; the model's own if ``None``.
        layer: a decoder layer; every one if ``None``.
        head: some of its heads; ``None`` without a layer is what the model calls its alignment.
        unit: what has a row or a column.
        strategy: how the model's own translation is found; greedily if not given.
        limits: how long it may become.
    """

    text: str
    translation: str | None = None
    layer: int | None = None
    head: Head | None = None
    unit: Unit = "words"
    strategy: Strategy | None = None
    limits: Limits | None = None

    def by(self, translator: Translator, name: str = "") -> Looked:
        """How one model looks at it.

        Args:
            translator: the model.
            name: what it is called above the picture.

        Raises:
            InputError: the model does not look at its source, or a sentence is blank.
            RangeError: it has no such layer or head.
        """
        own = None if self.translation is not None else self._own(translator)
        target = self.translation or "" if own is None else own.text
        if self.head is None:
            view = None if own is None else translation_view(own, unit=self.unit, model=name)
            # Where its own translation cannot be drawn, reading it again says why.
            drawn = view or forced_view(translator, self.text, target, unit=self.unit, model=name)
            return Looked(target, [drawn])
        views = head_views(
            translator,
            self.text,
            target,
            layer=self.layer,
            head=self.head,
            unit=self.unit,
            model=name,
        )
        return Looked(target, views)

    def _own(self, translator: Translator) -> Translation:
        """What the model makes of the sentence."""
        [found] = translator.translate(
            [self.text], strategy=self.strategy, limits=self.limits, aligned=self.head is None
        )
        return found


class _Read(NamedTuple):
    """Two texts in words or tokens, and the weights between these."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: Float[Tensor, "L H J I"]
    end: Float[Tensor, "L H J"]
    texts: tuple[str, str]

    def view(self, layer: int, head: int | None, title: str, model: str) -> AlignmentView:
        """One head, or the mean of its layer."""
        weights, end = self.weights[layer], self.end[layer]
        return AlignmentView(
            self.source,
            self.target,
            weights.mean(dim=0) if head is None else weights[head],
            title,
            end=end.mean(dim=0) if head is None else end[head],
            texts=self.texts,
            model=model,
            sides=SIDES,
        )


def _read(translator: Translator, source: str, target: str, asked: Asked, unit: Unit) -> _Read:
    """Both texts, and the weights between them."""
    texts = cleaned(source), cleaned(target)
    if not all(texts):
        raise InputError("an alignment needs a sentence and a translation, got a blank one")
    (read,) = teacher_forced(translator, [texts], asked=asked)
    if read.weights is None:
        raise InputError(
            "an alignment needs a model that looks at its source, "
            f"{type(translator.model).__name__} does not"
        )
    here, there = (
        _words(tokeniser, text, translator.longest)
        for tokeniser, text in zip(translator.vocabularies, texts, strict=True)
    )
    if unit == "tokens":
        return _Read(*_tokens(here.pieces, there.pieces, read.weights), texts)
    shares = word_shares(read.weights, source=here.side, target=there.side)
    return _Read(here.words, there.words, shares[..., :-1], shares[..., -1], texts)


def _tokens(
    source: tuple[str, ...], target: tuple[str, ...], weights: Float[Tensor, "*B T S"]
) -> tuple[tuple[str, ...], tuple[str, ...], Float[Tensor, "*B R K"], Float[Tensor, "*B R"]]:
    """Tokens and what each looked at; the end of the source apart, that of the target a row."""
    written = (*target, END)[: weights.shape[-2]]
    rows = weights[..., : len(written), :].detach().to("cpu", torch.float64)
    ends = rows[..., len(source) :].sum(dim=-1)
    return _seen(source), _seen(written), rows[..., : len(source)], ends


def _seen(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """A token of nothing but space is a word that can be seen."""
    return tuple(token if token.strip() else SPACE for token in tokens)


class _Words(NamedTuple):
    words: tuple[str, ...]
    side: Side
    pieces: tuple[str, ...]


def _words(tokeniser: Tokeniser, text: str, longest: int) -> _Words:
    """The words of a text as far as it is read."""
    pieces = tokeniser.pieces(text)[:longest]
    text = tokeniser.text(pieces)
    words = tuple(split(text))
    return _Words(words, side_of(tokeniser.spans(pieces), text, words), tuple(pieces))


def _named(heads: int, head: Head) -> Iterator[tuple[str, int | None]]:
    if head == "mean":
        yield "mean of its heads", None
        return
    for number in range(heads) if head == "all" else [head]:
        assert isinstance(number, int)
        yield f"head {number}", number


def _require(what: str, number: int | None, count: int, *, least: int) -> None:
    if number is not None and not least <= number < count:
        raise RangeError(
            f"this model has {count} {what}{'s' * (count > 1)}, counted from 0, got {what} {number}"
        )


INDENT = 2


def drawn(translation: Translation) -> RenderableType:
    """A sentence, its translation, and the alignment between them if there is one."""
    title = heading(translation.source, translation.text)
    view = translation_view(translation)
    return title if view is None else Group(title, Indented(terminal(view)))


@dataclass(frozen=True)
class Indented:
    """A drawing moved to the right, its lines as short as they are: nothing is filled up."""

    drawing: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        narrower = options.update(width=max(1, options.max_width - INDENT), height=None)
        for line in console.render_lines(self.drawing, narrower, pad=False):
            yield Segment(" " * INDENT)
            yield from line
            yield Segment.line()
