"""An alignment as a value, before it is drawn, and the headings of several."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

import torch

from regard.errors import RangeError, ShapeError
from regard.types import Tensor

from ..words import printable

END = "(end)"
"""Names the end of a sentence where it has a row or a column; in brackets, it is no word."""


@dataclass(frozen=True, eq=False)
class AlignmentView:
    """The words of two sentences and how much each word of the one looked at each of the other.

    Plain data: nothing here knows whether it will be drawn in a terminal, as a picture or as a
    page. Pieces of words are merged before, or are the words.

    Args:
        source: the words that are looked at.
        target: the words that look.
        weights: (T, S), a row for every target word; any precision, on any device.
        title: a line above the picture, such as the name of a head.
        end: (T,), how much each target word looked at the end of the source and at nothing that is
            a word; it is drawn as one more column. ``None`` where that is not known.
        texts: both sentences as they are written; words with blanks between them if not given.
        model: the name of what looked.
        sides: what source and target are, written beside a picture.

    Raises:
        ShapeError: no word at all, or not a row per target word and a column per source word.
        RangeError: a weight that is negative or no number.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: Tensor | Sequence[Sequence[float]] = field(repr=False)
    title: str = ""
    end: Tensor | Sequence[float] | None = field(default=None, repr=False)
    texts: tuple[str, str] | None = field(default=None, repr=False)
    model: str = ""
    sides: tuple[str, str] = field(default=("", ""), repr=False)
    rows: tuple[tuple[float, ...], ...] = field(init=False, repr=False)
    """The weights as numbers, a row per target word."""
    cells: tuple[tuple[float, ...], ...] = field(init=False, repr=False)
    """What is drawn: ``rows``, each with its end behind it where that is known."""

    def __post_init__(self) -> None:
        self._check_sizes()
        rows = tuple(tuple(map(float, row)) for row in _to_list(self.weights))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "cells", rows if self.end is None else self._with_ends(self.end))
        self._check_numbers()

    @property
    def columns(self) -> tuple[str, ...]:
        """What is drawn above ``cells``: the source words, and their end where it is known."""
        return self.source if self.end is None else (*self.source, END)

    @property
    def sentences(self) -> tuple[str, str]:
        """Both sentences, as they are written if that is known."""
        return self.texts or (" ".join(self.source), " ".join(self.target))

    @cached_property
    def largest(self) -> float:
        """The weight drawn in the strongest colour: 1, unless one is larger.

        Views of one scale can be laid side by side, and attention that looks at nothing in
        particular looks faint.
        """
        return max(1.0, *(max(row) for row in self.cells))

    def to_json(self) -> dict[str, Any]:
        """All of it as plain lists and text, ready for ``json.dump``."""
        return {
            "title": self.title,
            "model": self.model,
            "texts": list(self.sentences),
            "source": list(self.source),
            "target": list(self.target),
            "weights": [list(row) for row in self.rows],
            "end": None if self.end is None else [row[-1] for row in self.cells],
        }

    def _repr_html_(self) -> str:
        from .page import iframe

        return iframe([self])

    def _with_ends(self, end: Tensor | Sequence[float]) -> tuple[tuple[float, ...], ...]:
        if _shape(end) != (len(self.target),):
            raise ShapeError(
                f"the ends of an alignment need a weight for each of {len(self.target)} target "
                f"words, got {_shape(end)}"
            )
        return tuple(
            (*row, float(last)) for row, last in zip(self.rows, _to_list(end), strict=True)
        )

    def _check_sizes(self) -> None:
        needed = (len(self.target), len(self.source))
        came = _shape(self.weights)
        if came != needed or not all(needed):
            raise ShapeError(
                f"an alignment of {needed[0]} target words with {needed[1]} source words, at least "
                f"one of each, needs weights {needed}, got {came or 'rows of different lengths'}"
            )

    def _check_numbers(self) -> None:
        for word, row in zip(self.target, self.cells, strict=True):
            for weight in row:
                if not (isfinite(weight) and weight >= 0):
                    raise RangeError(
                        f"the weights of an alignment must be 0 or more, got {weight:g} for the "
                        f"target word {word!r}"
                    )


def _to_list(weights: Any) -> Any:
    return weights.detach().double().tolist() if torch.is_tensor(weights) else weights


def _shape(rows: object) -> tuple[int, ...] | None:
    """The sizes of a tensor or of nested sequences; None if they are ragged."""
    if torch.is_tensor(rows):
        return tuple(rows.shape)
    if not isinstance(rows, Sequence):
        return ()
    inner = {_shape(row) for row in rows}
    if len(inner) > 1 or None in inner:
        return None
    return (len(rows), *(inner.pop() or () if inner else ()))


class Headings(NamedTuple):
    """The lines above several views; blank where there is nothing to say."""

    sentences: tuple[str, ...]
    """What all views are of: a text and what became of it, a text alone, or nothing."""
    model: str
    """What all views are by."""
    views: tuple[str, ...]
    """What each of them is, as far as it is not said above all."""


def headings(views: Sequence[AlignmentView]) -> Headings:
    """What is the same in all views is said once, what is not is said of each."""
    models = {view.model for view in views}
    shared = models.pop() if len(models) == 1 else ""
    return Headings(
        sentences=tuple(_shared([view.sentences for view in views])),
        model=printable(shared) if shared else "",
        views=tuple(view_name("" if shared else view.model, view.title) for view in views),
    )


def _shared(sentences: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Source and target as far as all have them, and the same only once."""
    for place, every in enumerate(zip(*sentences, strict=True)):
        if len(set(every)) > 1 or (place and set(every) == {sentences[0][0]}):
            return
        yield printable(every[0])


def view_name(model: str, title: str) -> str:
    """What a view is called by its model and its title."""
    return ": ".join(printable(part) for part in (model, title) if part)
