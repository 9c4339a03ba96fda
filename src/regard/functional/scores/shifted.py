"""Position terms of a part of the map: queries and keys that do not begin at position 0."""

from dataclasses import dataclass

from regard.types import Float, Int, Tensor

from ..forms import Form, Tile, Vectors
from .base import PositionTerm, Score


@dataclass(frozen=True, eq=False, repr=False)
class Shifted(PositionTerm):
    """A position term seen from query ``queries`` and key ``keys`` on, as in a step with a cache.

    Made by :meth:`PositionTerm.shifted`.
    """

    term: PositionTerm
    queries: int
    keys: int

    name = "shifted"

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """The term checks."""
        self.term.check(query, key)

    def tensors(self) -> list[Tensor]:
        """Those of the term."""
        return self.term.tensors()

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """Shifts add up."""
        return self.term.shifted(self.queries + queries, self.keys + keys)

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """The form of the term, at other positions."""
        return _Moved(self.term.form(query, key), self.queries, self.keys)


class _Moved(Form):
    def __init__(self, form: Form, queries: int, keys: int) -> None:
        self.form, self.by = form, (queries, keys)

    @property
    def rows(self) -> Vectors:
        return self.form.rows

    @property
    def columns(self) -> Vectors:
        return self.form.columns

    @property
    def shared(self) -> Vectors:
        return self.form.shared

    @property
    def closed(self) -> bool:
        return self.form.closed

    def of_heads(self, heads: Int[Tensor, " h"]) -> Form:
        return _Moved(self.form.of_heads(heads), *self.by)

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        return self.form.tile(rows, columns, shared, at.moved(*self.by))

    def fast_tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        return self.form.fast_tile(rows, columns, shared, at.moved(*self.by))
