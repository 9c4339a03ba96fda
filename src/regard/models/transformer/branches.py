"""Which hypotheses there are of which sentence, and what each has seen."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from regard.types import Bool, Int, Tensor


class Kept(NamedTuple):
    """Hypotheses after some were picked."""

    branches: "Branches"
    sentences: Int[Tensor, " b"] | None
    """The sentences they are of; ``None`` if they are the same as before."""


@dataclass(frozen=True, eq=False)
class Branches:
    """B sentences with k hypotheses each: row b · k + j is hypothesis j of sentence b.

    Hypotheses of a sentence share their memory. Each looks at what was written on its own way.
    """

    sentences: int
    """B."""
    each: int
    """k."""
    seen: Bool[Tensor, "B k n"] | None = None
    """Which of a sentence's n entries stand on each hypothesis' way; ``None``: all."""
    entries: int = 0
    """n."""

    def grown(self, device: torch.device) -> "Branches":
        """With one entry more for each hypothesis, seen by itself."""
        entries = self.entries + self.each
        if self.each == 1:
            seen = self.seen
            if seen is not None:
                seen = torch.nn.functional.pad(seen, (0, 1), value=True)
            return replace(self, seen=seen, entries=entries)
        shape = (self.sentences, self.each)
        earlier = self.seen
        if earlier is None:
            earlier = torch.ones(*shape, self.entries, dtype=torch.bool, device=device)
        own = torch.eye(self.each, dtype=torch.bool, device=device).expand(*shape, self.each)
        return replace(self, seen=torch.cat([earlier, own], dim=-1), entries=entries)

    def picked(self, rows: Int[Tensor, " r"]) -> Kept:
        """These hypotheses.

        Those of one sentence share its memory if they stand side by side and all sentences have
        as many; otherwise each gets a memory of its own.
        """
        of = rows.div(self.each, rounding_mode="floor")
        sentences, counts = torch.unique_consecutive(of, return_counts=True)
        regular = len(counts) > 0 and bool((counts == counts[0]).all())
        if not regular:
            sentences = of
        each = len(rows) // max(1, len(sentences))
        seen = None
        if self.seen is not None:
            seen = self.seen.flatten(0, 1).index_select(0, rows)
            seen = seen.unflatten(0, (len(sentences), each))
        branches = Branches(len(sentences), each, seen, self.entries)
        everyone = torch.arange(self.sentences, device=rows.device)
        return Kept(branches, None if torch.equal(sentences, everyone) else sentences)
