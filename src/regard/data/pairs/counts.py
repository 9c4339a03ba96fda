"""How many lines were read, kept and left out."""

from collections import Counter
from typing import NamedTuple


class Counts(NamedTuple):
    """What became of the lines of a corpus."""

    read: int = 0
    kept: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    """Reasons with their counts, the most frequent first."""

    def __str__(self) -> str:
        total = f"read {self.read:,} lines, kept {self.kept:,}"
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.skipped)
        return f"{total}; skipped {reasons}" if reasons else total


def counted(read: int, skipped: Counter[str]) -> Counts:
    """The value of a tally; ties in the order of the alphabet."""
    ranked = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
    return Counts(read, read - skipped.total(), tuple(ranked))
