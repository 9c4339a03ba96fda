"""Headings of several views: what they share is said once."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .view import AlignmentView
from .words import printable


class Headings(NamedTuple):
    """The lines above several views; blank where there is nothing to say."""

    sentences: tuple[str, ...]
    """What all views are of: the source and its translation, the source alone, or nothing."""
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
    """Source and target as far as all have them."""
    for every in zip(*sentences, strict=True):
        if len(set(every)) > 1:
            return
        yield printable(every[0])


def view_name(model: str, title: str) -> str:
    """What a view is called by its model and its title."""
    return ": ".join(printable(part) for part in (model, title) if part)
