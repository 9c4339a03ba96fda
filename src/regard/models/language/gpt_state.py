"""The decoding state of a GPT: keys and values of all that was read."""

from dataclasses import dataclass, replace

import torch

from regard.nn import Cache
from regard.types import Bool, Int, Tensor


@dataclass(frozen=True, eq=False)
class GPTState:
    """Nothing in it ever changes. All texts end in the same column; short ones begin later."""

    caches: tuple[Cache | None, ...]
    """Of every layer's self-attention; ``None`` before the first token."""
    missing: Int[Tensor, " B"]
    """Columns before the first token of each text."""
    position: int = 0
    """The column of the next token."""

    @staticmethod
    def empty(
        count: int, layers: int, device: torch.device, missing: Int[Tensor, " B"] | None = None
    ) -> "GPTState":
        """Nothing has been read."""
        if missing is None:
            missing = torch.zeros(count, dtype=torch.long, device=device)
        return GPTState((None,) * layers, missing)

    def positions(self, count: int) -> Int[Tensor, "B n"]:
        """Where the next ``count`` columns stand in each text; 0 before its first token."""
        return (self._columns(count) - self.missing.unsqueeze(-1)).clamp(min=0)

    def real(self, count: int) -> Bool[Tensor, "B n"] | None:
        """Which of the next ``count`` columns are tokens; ``None`` if all are."""
        found = self._columns(count) >= self.missing.unsqueeze(-1)
        return None if bool(found.all()) else found

    def grown(self, caches: tuple[Cache, ...], count: int) -> "GPTState":
        """``count`` columns further."""
        return replace(self, caches=caches, position=self.position + count)

    def reorder(self, rows: Int[Tensor, " b"]) -> "GPTState":
        """The state of these elements of the batch."""
        return replace(
            self,
            caches=tuple(cache and cache.reorder(rows) for cache in self.caches),
            missing=self.missing.index_select(0, rows),
        )

    def detach(self) -> "GPTState":
        """The same numbers without their history."""
        return replace(self, caches=tuple(cache and cache.detach() for cache in self.caches))

    def _columns(self, count: int) -> Int[Tensor, "1 n"]:
        first = self.position
        return torch.arange(first, first + count, device=self.missing.device).unsqueeze(0)


def right_aligned(
    prompt: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]
) -> tuple[Int[Tensor, "B s"], Int[Tensor, " B"]]:
    """Prompts moved to the right until all end in the last column, and what each has before it."""
    longest = int(lengths.max()) if len(lengths) else 0
    missing = longest - lengths
    columns = torch.arange(longest, device=prompt.device) - missing.unsqueeze(-1)  # (B, S)
    if not longest:
        return prompt[:, :0], missing
    return prompt.gather(1, columns.clamp(min=0)), missing
