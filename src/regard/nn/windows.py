"""Windows that lie somewhere else for every query: keys taken out, weights put back."""

from dataclasses import dataclass, field

from regard.functional.events import StoredWeights
from regard.functional.index import Index
from regard.types import Float, Int, Tensor


def gathered(
    vectors: Float[Tensor, "*B K D"], positions: Int[Tensor, "*B Q w"]
) -> Float[Tensor, "*B Q w D"]:
    """The vectors at these positions, which must all be among the K."""
    flat = positions.flatten(-2).unsqueeze(-1)  # (*B, Q w, 1)
    taken = vectors.gather(-2, flat.expand(*flat.shape[:-1], vectors.shape[-1]))
    return taken.unflatten(-2, positions.shape[-2:])


def scattered(
    weights: Float[Tensor, "*B w"], positions: Int[Tensor, "*B w"], num_keys: int
) -> Float[Tensor, "*B K"]:
    """The weights over all keys; zero where no window reaches."""
    everywhere = weights.new_zeros(*weights.shape[:-1], num_keys)
    return everywhere.scatter_add(-1, positions, weights)


@dataclass(frozen=True, eq=False)
class Windowed:
    """A look through windows: the whole map is only drawn when it is asked for."""

    weights: Tensor = field(repr=False)
    positions: Tensor = field(repr=False)
    num_keys: int = 0

    def weigh(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """The weights over all keys, or some of their rows and heads."""
        weights = StoredWeights(self.weights).weigh(rows, heads)
        positions = StoredWeights(self.positions).weigh(rows, heads)
        return scattered(weights, positions, self.num_keys)
