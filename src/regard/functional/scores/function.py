"""A score that is any function."""

from dataclasses import dataclass
from inspect import signature

from torch import nn

from regard.errors import DtypeError

from ..forms import Called, Form
from .base import Keys, Queries, Score, ScoreFunction


@dataclass(frozen=True, eq=False, repr=False)
class Function(Score):
    r"""Scores by a function of your own. Made by passing one as the score.

    .. math:: e_{qk} = f(q_q, k_k)

    >>> attend(q, k, v, score=lambda q, k: -(q.unsqueeze(-2) - k.unsqueeze(-3)).abs().sum(-1))

    It is called with some of the queries and some of the keys at a time, and so must score every
    pair for itself: no norm, mean or softmax over the keys it happens to see. It gets float32
    where queries come in half precision. The gradient flows into whatever it computes with, and
    into the parameters of a module. Never fused; beyond small maps it runs in blocks, once more in
    the backward pass.

    Args:
        function: of queries (*B, r, Dq) and keys (*B, c, Dk), which returns scores (*B, r, c).
    """

    function: ScoreFunction

    name = "function"
    composed = True
    step = "s = f(q, k)"

    def __post_init__(self) -> None:
        function = self.function
        if isinstance(function, type):
            raise DtypeError(
                f"score needs a value of regard.scores, got the class {function.__name__}; make "
                f"one: {function.__name__}(…)"
            )
        if not callable(function):
            raise DtypeError(
                "score needs a name, a value of regard.scores, or a function of query and key, "
                f"got {type(function).__name__}"
            )
        if not _takes_two(function):
            raise DtypeError(
                "score needs a function of query and key, two tensors, got one with other "
                f"arguments, {_called(function)}"
            )

    def check(self, query: Queries, key: Keys) -> None:
        """What fits, the function knows."""

    def form(self, query: Queries, key: Keys) -> Form:
        """The function as it is."""
        return Called(query, key, self.function)

    def __repr__(self) -> str:
        return f"Function({_called(self.function)})"


def _takes_two(function: ScoreFunction) -> bool:
    try:
        asked = signature(function.forward if isinstance(function, nn.Module) else function)
    except (TypeError, ValueError):  # some of C do not say
        return True
    try:
        asked.bind(None, None)
    except TypeError:
        return False
    return True


def _called(function: ScoreFunction) -> str:
    return getattr(function, "__name__", type(function).__name__)
