"""Forms made of other forms, and terms of positions that are added to them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, islice
from operator import add

from regard.types import Float, Int, Tensor

from ..tensors import broadcast_shapes
from .base import Form, Pairs, Tile, Vectors, take_heads


@dataclass(frozen=True, eq=False)
class Wrapped(Form):
    """Another form, computed in another way."""

    form: Form

    @property
    def rows(self) -> Vectors:
        """Those of the form."""
        return self.form.rows

    @property
    def columns(self) -> Vectors:
        """Those of the form."""
        return self.form.columns

    @property
    def shared(self) -> Vectors:
        """Those of the form."""
        return self.form.shared

    @property
    def closed(self) -> bool:
        """If the form is."""
        return self.form.closed

    def of_heads(self, heads: Int[Tensor, " h"]) -> Form:
        """The form for these heads."""
        return replace(self, form=self.form.of_heads(heads))


@dataclass(frozen=True, eq=False)
class Scaled(Wrapped):
    """Another form, each row of its scores multiplied by one number.

    Args:
        form: what is multiplied.
        factor: (*B, Q, 1), or fewer leading axes; a vector of width one for each query.
    """

    factor: Float[Tensor, "... Q 1"]

    @property
    def rows(self) -> Vectors:
        """Those of the form, then the factors."""
        return (*self.form.rows, self.factor)

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Scaled":
        """The vectors and factors of these heads."""
        return Scaled(self.form.of_heads(heads), take_heads(self.factor, heads))

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The scores of the form, by its definition, times their factors."""
        return self.form.tile(rows[:-1], columns, shared, at) * rows[-1]

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The same, by the fastest arithmetic of the form."""
        return self.form.fast_tile(rows[:-1], columns, shared, at) * rows[-1]


@dataclass(frozen=True, eq=False)
class Moved(Wrapped):
    """Another form, so many positions further down and to the right.

    Args:
        form: what is moved.
        by: rows and columns.
    """

    by: tuple[int, int]

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The scores of the form where the tile stands, by its definition."""
        return self.form.tile(rows, columns, shared, at.moved(*self.by))

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The same, by the fastest arithmetic of the form."""
        return self.form.fast_tile(rows, columns, shared, at.moved(*self.by))


@dataclass(frozen=True, eq=False)
class Total(Form):
    """The sum of several forms over the same pairs."""

    terms: tuple[Form, ...]

    @property
    def rows(self) -> Vectors:
        """The row vectors of every term, in order."""
        return tuple(chain.from_iterable(term.rows for term in self.terms))

    @property
    def columns(self) -> Vectors:
        """The column vectors of every term, in order."""
        return tuple(chain.from_iterable(term.columns for term in self.terms))

    @property
    def shared(self) -> Vectors:
        """The shared tensors of every term, in order."""
        return tuple(chain.from_iterable(term.shared for term in self.terms))

    @property
    def closed(self) -> bool:
        """If every term is."""
        return all(term.closed for term in self.terms)

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Total":
        """The vectors of these heads."""
        return Total(tuple(term.of_heads(heads) for term in self.terms))

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """Each term by its definition, added."""
        return reduce(add, (t.tile(*own, at) for t, own in self._shares(rows, columns, shared)))

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """Each term by its fastest arithmetic, added."""
        shares = self._shares(rows, columns, shared)
        return reduce(add, (t.fast_tile(*own, at) for t, own in shares))

    def _shares(
        self, rows: Vectors, columns: Vectors, shared: Vectors
    ) -> Iterator[tuple[Form, tuple[Vectors, Vectors, Vectors]]]:
        """Each term with its own rows, columns and shared tensors."""
        r, c, s = iter(rows), iter(columns), iter(shared)
        for term in self.terms:
            own = _next(r, term.rows), _next(c, term.columns), _next(s, term.shared)
            yield term, own


def _next(left: Iterator[Tensor], like: Vectors) -> Vectors:
    return tuple(islice(left, len(like)))


@dataclass(frozen=True, eq=False)
class Positional(Form):
    """A term of positions alone, for every element of a batch it knows nothing else about.

    Args:
        leading: the leading axes of the scores it belongs to.
        term: of rows, shared tensors and a tile; with as few leading axes as it needs.
        rows: what it knows of each query, (*B, Q, ·).
        shared: what it knows of all pairs; where heads differ, they are its axis −3.
    """

    leading: tuple[int, ...]
    term: Callable[[Vectors, Vectors, Tile], Tensor]
    rows: Vectors = ()
    shared: Vectors = ()

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The term, repeated without a copy."""
        term = self.term(rows, shared, at)
        return term.expand(*broadcast_shapes(self.leading, term.shape[:-2]), -1, -1)

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Positional":
        """What it knows of these heads."""
        leading = (*self.leading[:-1], len(heads)) if self.leading else ()
        rows, shared = (tuple(take_heads(x, heads) for x in y) for y in (self.rows, self.shared))
        return replace(self, leading=leading, rows=rows, shared=shared)
