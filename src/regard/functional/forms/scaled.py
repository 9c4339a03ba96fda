"""A form times a number."""

from dataclasses import dataclass

from regard.types import Float, Int, Tensor

from .base import Form, Tile, Vectors, take_heads


@dataclass(frozen=True, eq=False)
class Scaled(Form):
    """Another form, each row of its scores multiplied by one number.

    Args:
        form: what is multiplied.
        factor: (*B, Q, 1), or fewer leading axes; a vector of width one for each query.
    """

    form: Form
    factor: Float[Tensor, "... Q 1"]

    @property
    def rows(self) -> Vectors:
        """Those of the form, then the factors."""
        return (*self.form.rows, self.factor)

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

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Scaled":
        """The vectors and factors of these heads."""
        return Scaled(self.form.of_heads(heads), take_heads(self.factor, heads))

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The scores of the form, by its definition, times their factors."""
        return self.form.tile(rows[:-1], columns, shared, at) * rows[-1]

    def fast_tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The same, by the fastest arithmetic of the form."""
        return self.form.fast_tile(rows[:-1], columns, shared, at) * rows[-1]
