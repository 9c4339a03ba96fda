"""Which pairs are left out, why, and how many of them."""

from collections import Counter
from typing import Literal, NamedTuple

from regard.config import Config

from .pair import TextPair

Reason = Literal["blank", "too short", "too long", "uneven"]


class Filters(Config):
    """Limits that a pair must keep; the blank ones are always left out."""

    unit: Literal["words", "characters"] = "words"
    """What lengths are counted in; words are split at spaces."""
    min_length: int = 1
    """Shortest length of either side."""
    max_length: int | None = None
    """Longest length of either side."""
    max_ratio: float | None = None
    """How many times longer one side may be than the other."""

    def length(self, text: str) -> int:
        """The length of ``text`` in this unit."""
        return len(text.split()) if self.unit == "words" else len(text)

    def reason(self, source: str, target: str) -> Reason | None:
        """Why these two are left out; ``None`` if they are kept."""
        if not source or not target:
            return "blank"
        shorter, longer = sorted((self.length(source), self.length(target)))
        if shorter < self.min_length:
            return "too short"
        if self.max_length is not None and longer > self.max_length:
            return "too long"
        if self.max_ratio is not None and longer > self.max_ratio * shorter:
            return "uneven"
        return None

    def sift(self, pair: TextPair) -> TextPair | Reason:
        """The pair with the references that pass, or why none does.

        The alignment belongs to the first reference and goes with it.
        """
        if not pair.references:
            return "blank"
        reasons = [self.reason(pair.source, reference) for reference in pair.references]
        if reasons[0] is not None and all(reasons):
            return reasons[0]
        kept = [text for text, why in zip(pair.references, reasons, strict=True) if why is None]
        alignment = pair.alignment if reasons[0] is None else None
        return pair._replace(references=tuple(kept), alignment=alignment)


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

    @classmethod
    def of(cls, read: int, skipped: Counter[str]) -> "Counts":
        """The value of a tally; ties in the order of the alphabet."""
        ranked = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
        return cls(read, read - skipped.total(), tuple(ranked))
