"""Windows of keys: gathered around a position, and their weights spread over all keys."""

from dataclasses import dataclass, field, replace

from regard.functional.events import Kind, StoredWeights
from regard.functional.index import Index
from regard.types import Float, Int, Tensor


def gather_windows(
    vectors: Float[Tensor, "*B K D"], positions: Int[Tensor, "*B Q w"]
) -> Float[Tensor, "*B Q w D"]:
    """The vectors at these positions, which must all be among the K."""
    flat = positions.flatten(-2).unsqueeze(-1)  # (*B, Q w, 1)
    taken = vectors.gather(-2, flat.expand(*flat.shape[:-1], vectors.shape[-1]))  # (*B, Q w, D)
    return taken.unflatten(-2, positions.shape[-2:])


def scatter_windows(
    weights: Float[Tensor, "*B w"], positions: Int[Tensor, "*B w"], num_keys: int
) -> Float[Tensor, "*B K"]:
    """The weights over all keys; zero where no window reaches."""
    everywhere = weights.new_zeros(*weights.shape[:-1], num_keys)
    return everywhere.scatter_add(-1, positions, weights)


@dataclass(frozen=True, eq=False)
class WindowWeights:
    """A look through windows: the whole map is only drawn when it is asked for."""

    weights: Tensor = field(repr=False)
    positions: Tensor = field(repr=False)
    num_keys: int = 0
    value: Tensor | None = field(default=None, repr=False)
    context: Tensor | None = field(default=None, repr=False)
    kind: Kind = "cross"
    training: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole map."""
        return (*self.weights.shape[:-1], self.num_keys)

    def without_graph(self) -> "WindowWeights":
        """The same with a context that holds no graph."""
        return self if self.context is None else replace(self, context=self.context.detach())

    def weigh(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """The weights over all keys, or some of their rows and heads."""
        weights = StoredWeights(self.weights).weigh(rows, heads)
        positions = StoredWeights(self.positions).weigh(rows, heads)
        return scatter_windows(weights, positions, self.num_keys)
