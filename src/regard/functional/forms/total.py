"""Sums of forms: a content score and its position terms."""

from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import add

from regard.types import Float, Int, Tensor

from .base import Form, Tile, Vectors


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

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """Each term by its definition, added."""
        return reduce(add, (t.tile(*own, at) for t, own in self._shares(rows, columns, shared)))

    def fast_tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """Each term by its fastest arithmetic, added."""
        shares = self._shares(rows, columns, shared)
        return reduce(add, (t.fast_tile(*own, at) for t, own in shares))

    def _shares(
        self, rows: Vectors, columns: Vectors, shared: Vectors
    ) -> list[tuple[Form, tuple[Vectors, Vectors, Vectors]]]:
        shares, r, c, s = [], 0, 0, 0
        for term in self.terms:
            nr, nc, ns = len(term.rows), len(term.columns), len(term.shared)
            shares.append((term, (rows[r : r + nr], columns[c : c + nc], shared[s : s + ns])))
            r, c, s = r + nr, c + nc, s + ns
        return shares
