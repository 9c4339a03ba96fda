"""What a class or function says of itself for the catalogue: equation, cost and paper.

Said once, above the class, and read by :mod:`regard.catalogue`, ``regard list`` and the docs.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

FAMILIES = (
    *("pooling", "scores", "normalisers", "ways of attending"),
    *("positions", "cells", "vision"),
)
WAYS = "ways of attending"
"""The family of what does not say another."""

Owner = TypeVar("Owner", bound=Callable[..., Any])


class Paper(NamedTuple):
    """Where a mechanism comes from: first author and year, and the address."""

    citation: str
    link: str


class Mechanism(NamedTuple):
    """An attention mechanism, or a part of one, as the literature knows it."""

    name: str
    equation: str
    cost: str
    """Of time over Q queries and K keys, or over N positions of one sequence; D is a width."""
    paper: str
    link: str
    home: str
    """Where it lives, e.g. ``regard.nn.BahdanauAttention``; a value may follow in brackets."""

    @property
    def target(self) -> str:
        """The home without the value in brackets: what can be imported."""
        return self.home.partition("(")[0]

    @property
    def slug(self) -> str:
        """The name as a file name."""
        kept = "".join(c if c.isalnum() else "-" for c in self.name.lower())
        return "-".join(word for word in kept.split("-") if word)


class Entry(NamedTuple):
    """A mechanism that a class or function implements, before its home is known."""

    family: str | None
    """``None`` is that of its kind: scores, normalisers, or ways of attending."""
    title: str
    equation: str
    cost: str
    paper: Paper
    call: str

    def row(self, home: str) -> Mechanism:
        """The row of the catalogue."""
        return Mechanism(self.title, self.equation, self.cost, *self.paper, home + self.call)


def mechanism(
    title: str,
    *,
    equation: str,
    cost: str,
    paper: tuple[str, str],
    family: str | None = None,
    call: str = "",
) -> Callable[[Owner], Owner]:
    """Mark a class or function as a mechanism of the catalogue; some are several.

    Args:
        title: its name in the catalogue.
        equation: in plain Unicode.
        cost: of time.
        paper: citation and address; those of several mechanisms are in :mod:`regard.papers`.
        family: where it is listed; only what is neither a score, a normaliser nor a way of
            attending needs to say so.
        call: what makes it this mechanism, in brackets, e.g. ``"(predictive=False)"``.
    """
    entry = Entry(family, title, equation, cost, Paper(*paper), call)

    def marked(owner: Owner) -> Owner:
        setattr(owner, "mechanisms", (entry, *entries(owner)))  # noqa: B010
        return owner

    return marked


def entries(owner: object) -> tuple[Entry, ...]:
    """What a class or function itself says it implements; nothing is inherited."""
    found: tuple[Entry, ...] = getattr(owner, "__dict__", {}).get("mechanisms", ())
    return found


def older_first(row: Mechanism) -> tuple[str, str]:
    """What mechanisms of a family are ordered by."""
    return row.paper[-4:], row.name
