"""Forms of one vector per query and one per key."""

from dataclasses import dataclass, replace

from regard.types import Int, Tensor

from .base import Form, Vectors, take_heads


@dataclass(frozen=True, eq=False)
class Sided(Form):
    """A pairing of projected queries with projected keys.

    Args:
        query: (*B, Q, D).
        key: (*B, K, D).
    """

    query: Tensor
    key: Tensor

    @property
    def rows(self) -> Vectors:
        """The projected queries."""
        return (self.query,)

    @property
    def columns(self) -> Vectors:
        """The projected keys."""
        return (self.key,)

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Sided":
        """The vectors of these heads."""
        query, key = take_heads(self.query, heads), take_heads(self.key, heads)
        return replace(self, query=query, key=key)
