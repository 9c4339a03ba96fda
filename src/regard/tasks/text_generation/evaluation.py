"""How good a generator is on a text: bits per character, nats, perplexity, with intervals."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regard.errors import InputError
from regard.measures import compare_counts
from regard.measures.match_counts import Resampling, draw_samples, percentiles
from regard.measures.ratio import Ratio
from regard.measures.score import Interval
from regard.types import PathLike

from ..evaluation import EvaluationConfig
from ..reporting import Versus, one_or_several
from .data import FileText
from .predictor import Generator
from .scoring import surprise
from .windows import require_text

if TYPE_CHECKING:
    from rich.console import RenderableType

MAX_TOKENS = 8192


class Figure(NamedTuple):
    """A number, and where it lies."""

    value: float
    interval: Interval


class Stretch(NamedTuple):
    """Places of a window, and how surprising what stands there is."""

    first: int
    last: int
    nats: float


class TextScores(NamedTuple):
    """Of one model on one text."""

    nats_per_token: Figure
    bits_per_character: Figure
    perplexity: Figure
    tokens: int
    """That were predicted."""
    characters: int
    window: int
    """Tokens before which nothing was known."""
    by_place: tuple[Stretch, ...]
    """Nats per token by how much was read before it."""
    windows: Ratio
    """Nats and tokens of every window, in bits per character."""

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        figures = {name: getattr(self, name) for name in self._fields[:3]}
        told = {
            name: {"value": one.value, "low": one.interval.low, "high": one.interval.high}
            for name, one in figures.items()
        }
        rest = {"tokens": self.tokens, "characters": self.characters, "window": self.window}
        return {**told, **rest, "by_place": [one._asdict() for one in self.by_place]}


def evaluate(
    generator: Generator,
    text: str,
    *,
    window: int | None = None,
    resampling: Resampling | None = None,
) -> TextScores:
    """How surprising a text is, window by window.

    The intervals come from the bootstrap over windows: they are drawn with replacement, each with
    its own tokens.

    Args:
        generator: what reads.
        text: at least two tokens.
        window: tokens that are read without anything before them; the model's context if not given.
        resampling: how intervals are found.
    """
    codec, resampling = generator.codec, resampling or Resampling()
    tokens = require_text(codec.encode(text))
    length = min(window or generator.context, generator.context, len(tokens) - 1)
    found = surprise(generator.model, tokens, length=length, max_tokens=MAX_TOKENS)
    characters = len(text) - len(codec.decode(tokens[:1].tolist()))
    per_token = characters / found.tokens.sum()
    means = [
        float(times @ found.nats / (times @ found.tokens))
        for times in draw_samples(len(found.nats), resampling)
    ]

    def figure(scale: Any) -> Figure:
        return Figure(scale(found.mean), percentiles([scale(one) for one in means], resampling))

    return TextScores(
        nats_per_token=figure(float),
        bits_per_character=figure(lambda nats: float(nats / math.log(2) / per_token)),
        perplexity=figure(lambda nats: math.exp(min(nats, 700.0))),
        tokens=int(found.tokens.sum()),
        characters=characters,
        window=length,
        by_place=_stretches(found.by_place.tolist()),
        windows=Ratio(
            np.stack([found.nats, found.tokens], axis=1),
            "bits per character",
            1 / (math.log(2) * per_token),
        ),
    )


def _stretches(nats: Sequence[float]) -> tuple[Stretch, ...]:
    """Each twice as long as the one before it, which are the places that differ most."""
    found, first = [], 0
    while first < len(nats):
        some = nats[first : 2 * first or 1]
        found.append(Stretch(first + 1, first + len(some), sum(some) / len(some)))
        first += len(some)
    return tuple(found)


def evaluate_file(generator: Generator, path: PathLike, **said: Any) -> TextScores:
    """The same for a file of plain text, .gz too.

    Raises:
        InputError: it cannot be read, or is no UTF-8.
    """
    data = FileText(train=(str(Path(path)),), valid=(str(Path(path)),), valid_characters=2**40)
    return evaluate(generator, data.valid_text(), **said)


class Report(NamedTuple):
    """Language models beside each other on the same text."""

    systems: Mapping[str, TextScores]
    versus: tuple[Versus, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Of one model all about it, of several a list of them as ``models``."""
        found = [
            {
                "model": name,
                "task": "text-generation",
                "scores": {what: getattr(one, what).value for what in one._fields[:3]},
                **one.to_json(),
            }
            for name, one in self.systems.items()
        ]
        return one_or_several(found, versus=[one.to_json() for one in self.versus])

    def __rich__(self) -> "RenderableType":
        """Scores with intervals, differences, and nats by how much was read."""
        from .tables import tables

        return tables(self)


class GenerationEvaluation(EvaluationConfig):
    """Nats a token, bits a character and perplexity with intervals, nats by how much was read."""

    data: tuple[str, ...] = ()
    """One file of plain text."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        data = self.data
        if len(data) != 1:
            raise InputError(f"evaluate needs --data with one file of text, got {len(data)}")
        resampling = self.resampling
        found = {
            name: evaluate_file(one, data[0], resampling=resampling)
            for name, one in predictors.items()
        }
        (first, one), *others = found.items()
        versus = tuple(
            Versus(
                first,
                name,
                "bits per character",
                compare_counts(one.windows, other.windows, resampling),
            )
            for name, other in others
            if resampling is not None and _alike(one, other)
        )
        return Report(found, versus)


def _alike(one: TextScores, other: TextScores) -> bool:
    """Whether both have read the same windows of the same tokens, and so can be paired."""
    counts = one.windows.counts[:, 1], other.windows.counts[:, 1]
    return one.windows.scale == other.windows.scale and np.array_equal(*counts)


EVALUATION = GenerationEvaluation
