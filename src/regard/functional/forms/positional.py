"""Forms that look only at where query and key stand."""

from abc import abstractmethod

from regard.types import Float, Tensor

from ..tensors import broadcast_shapes
from .base import Form, Tile, Vectors


class Positional(Form):
    """A term of positions alone, for every element of a batch it knows nothing else about.

    Args:
        leading: the leading axes of the scores it belongs to.
        rows: what it knows of each query, (*B, Q, ·).
        shared: what it knows of all pairs.
    """

    def __init__(
        self, leading: tuple[int, ...], *, rows: Vectors = (), shared: Vectors = ()
    ) -> None:
        self.leading, self._rows, self._shared = leading, rows, shared

    @property
    def rows(self) -> Vectors:
        """As given."""
        return self._rows

    @property
    def shared(self) -> Vectors:
        """As given."""
        return self._shared

    @abstractmethod
    def term(self, rows: Vectors, shared: Vectors, at: Tile) -> Float[Tensor, "*B r c"]:
        """The term of a tile, with as few leading axes as it needs."""

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        """The term, repeated without a copy."""
        term = self.term(rows, shared, at)
        return term.expand(*broadcast_shapes(self.leading, term.shape[:-2]), -1, -1)

    def leading_of(self, heads: Tensor) -> tuple[int, ...]:
        """The leading axes with only these heads."""
        return (*self.leading[:-1], len(heads)) if self.leading else ()


def leading_axes(query: Tensor, key: Tensor) -> tuple[int, ...]:
    """The leading axes that query and key broadcast to."""
    return tuple(broadcast_shapes(query.shape[:-2], key.shape[:-2]))
