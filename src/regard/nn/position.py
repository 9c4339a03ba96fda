"""What an attention module asks of positions: two small protocols, either or both."""

from typing import Protocol, runtime_checkable

from regard.errors import DtypeError
from regard.functional.scores import Score
from regard.types import Float, Tensor


@runtime_checkable
class Rotates(Protocol):
    """Positions that turn queries and keys, so that their product knows the distance."""

    def rotate(self, x: Float[Tensor, "*B N D"], start: int = 0) -> Float[Tensor, "*B N D"]:
        """The vectors as they are at the positions ``start``, ``start + 1``, …"""


@runtime_checkable
class AddsTerm(Protocol):
    """Positions that add a term of the distance to the score."""

    def term(self, start: int = 0) -> Score:
        """The term of a map whose first query stands ``start`` positions behind its first key."""


Position = Rotates | AddsTerm


def require_position(owner: str, position: object) -> None:
    """Raise unless ``position`` is ``None`` or keeps one of the protocols."""
    if position is not None and not isinstance(position, Rotates | AddsTerm):
        raise DtypeError(
            f"{owner} needs a position with rotate(x, start) or term(start), got "
            f"{type(position).__name__}; what is added to the input is added before"
        )


def rotated(
    position: object, x: Float[Tensor, "*B N D"], start: int = 0
) -> Float[Tensor, "*B N D"]:
    """``x`` turned, where the position turns."""
    return position.rotate(x, start=start) if isinstance(position, Rotates) else x


def with_term(position: object, score: Score, start: int) -> Score:
    """``score`` plus the term, where the position has one."""
    return score + position.term(start=start) if isinstance(position, AddsTerm) else score
