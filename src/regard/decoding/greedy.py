"""Greedy decoding: the likeliest token, step by step."""

from regard.config import Config
from regard.types import Float, Int, Tensor

from .batches import Sources
from .row_search import Picked, RowSearch
from .rules import Rules
from .top_k import Array, top


class Greedy(Config):
    r"""The likeliest token, step by step.

    .. math:: y_t = \arg\max_y p(y \mid y_{<t}, x)
    """

    @property
    def width(self) -> int:
        """One row."""
        return 1

    @property
    def rows(self) -> int:
        """One row."""
        return 1

    @property
    def looks(self) -> bool:
        """It does not matter where the model looked."""
        return False

    def search(self, sources: Sources, rules: Rules) -> RowSearch:
        """The strategy at work on a batch."""
        return RowSearch(self, self.width, rules)

    def pick(self, logits: Float[Tensor, "R V"], rows: Int[Array, " R"], step: int) -> Picked:
        """The likeliest token of each row."""
        found = top(logits, 1)
        return Picked(found.indices.squeeze(-1), found.values.squeeze(-1))
