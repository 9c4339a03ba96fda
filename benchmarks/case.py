"""One thing to compute: a mechanism, a mask, a size, with or without the gradient."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Mask = Literal["plain", "causal", "padded", "back", "around"]


@dataclass(frozen=True)
class Case:
    """What every system in a race computes.

    Args:
        mechanism: the kind of attention, a key of the systems' builders.
        shape: (batch, heads, positions, width).
        mask: which pairs are allowed. ``"back"`` is the position itself and ``window`` before it,
            ``"around"`` also ``window`` after it.
        backward: forward and backward, or forward alone.
        window: reach of the two window masks.
        seed: of the random inputs.
    """

    mechanism: str
    shape: tuple[int, int, int, int]
    mask: Mask = "plain"
    backward: bool = False
    window: int = 128
    seed: int = 0

    @property
    def positions(self) -> int:
        """N, the number of queries and of keys."""
        return self.shape[2]

    @property
    def work(self) -> str:
        """Which passes are run."""
        return "forward + backward" if self.backward else "forward"

    @property
    def title(self) -> str:
        """Mechanism and mask, e.g. ``softmax, causal`` or ``window, 128 back``."""
        if self.mask == "plain":
            return self.mechanism
        reach = f"{self.window} " if self.mask in ("back", "around") else ""
        return f"{self.mechanism}, {reach}{self.mask}"

    @property
    def size(self) -> str:
        """The shape as it is written in tables."""
        return "×".join(map(str, self.shape))

    @property
    def label(self) -> str:
        """All of it in one line."""
        return f"{self.title} {self.size}, {self.work}"

    def facts(self) -> dict[str, Any]:
        """What the record of a race says of it."""
        return {"case": self.to_json()}

    def at(self, positions: int) -> "Case":
        """The same case with another N."""
        batch, heads, _, width = self.shape
        return replace(self, shape=(batch, heads, positions, width))

    def to_json(self) -> dict[str, Any]:
        """Plain data, from which :meth:`from_json` makes the case again."""
        return asdict(self) | {"shape": list(self.shape)}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Case":
        """The case ``data`` describes."""
        batch, heads, positions, width = data["shape"]
        return Case(**{**data, "shape": (batch, heads, positions, width)})


def both_passes(case: Case) -> tuple[Case, Case]:
    """``case`` forward, and forward with backward."""
    return replace(case, backward=False), replace(case, backward=True)
