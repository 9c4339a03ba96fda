"""KV caches of decoding: returned by every step, passed to the next."""

from typing import NamedTuple

import torch

from regard.types import Bool, Float, Int, Tensor


class Cache(NamedTuple):
    """Projected keys and values of the positions that have come, for self attention.

    Nothing in it ever changes: a step returns a new one, so any earlier one can be gone back to.
    """

    key: Float[Tensor, "*B H K D"]
    value: Float[Tensor, "*B H K E"]
    allowed: Bool[Tensor, "*B K"] | None = None
    """Which keys may be looked at; ``None`` is all."""
    start: int = 0
    """The position of the first key kept; those before it were out of every later query's sight."""

    @property
    def position(self) -> int:
        """Where the next input stands."""
        return self.start + self.key.shape[-2]

    def behind(self, earlier: "Cache | None") -> "Cache":
        """These positions after the earlier ones."""
        if earlier is None:
            return self
        allowed = None
        if earlier.allowed is not None or self.allowed is not None:
            allowed = torch.cat([_booleans(earlier), _booleans(self)], dim=-1)
        return Cache(
            torch.cat([earlier.key, self.key], dim=-2),  # (*B, H, K' + K, D)
            torch.cat([earlier.value, self.value], dim=-2),  # (*B, H, K' + K, E)
            allowed,
            earlier.start,
        )

    def kept(self, count: int | None) -> "Cache":
        """Only the last ``count`` keys, or all."""
        dropped = 0 if count is None else self.key.shape[-2] - count
        if dropped <= 0:
            return self
        return Cache(
            self.key[..., dropped:, :],
            self.value[..., dropped:, :],
            None if self.allowed is None else self.allowed[..., dropped:],
            self.start + dropped,
        )

    def reorder(self, rows: Int[Tensor, " b"]) -> "Cache":
        """The cache of these elements of the batch, as beam search asks for."""
        return Cache(*_rows((self.key, self.value, self.allowed), rows), start=self.start)

    def detach(self) -> "Cache":
        """Without history: truncated back-propagation."""
        return Cache(self.key.detach(), self.value.detach(), self.allowed, self.start)


class CrossCache(NamedTuple):
    """Projected keys and values of a memory, for cross attention: made once, looked at in steps."""

    key: Float[Tensor, "*B H K D"]
    value: Float[Tensor, "*B H K E"]
    allowed: Bool[Tensor, "*B K"] | None = None
    """Which keys may be looked at; ``None`` is all."""
    position: int = 0
    """Where the next query stands."""

    def advanced(self, count: int) -> "CrossCache":
        """After ``count`` more queries."""
        return self._replace(position=self.position + count)

    def reorder(self, rows: Int[Tensor, " b"]) -> "CrossCache":
        """The memory of these elements of the batch, as beam search asks for."""
        return CrossCache(*_rows((self.key, self.value, self.allowed), rows), self.position)

    def detach(self) -> "CrossCache":
        """Without history."""
        return self._replace(key=self.key.detach(), value=self.value.detach())


def _rows(
    tensors: tuple[Tensor, Tensor, Tensor | None], rows: Tensor
) -> tuple[Tensor, Tensor, Tensor | None]:
    key, value, allowed = tensors
    picked = None if allowed is None else allowed.index_select(0, rows)
    return key.index_select(0, rows), value.index_select(0, rows), picked


def _booleans(cache: Cache) -> Bool[Tensor, "*B K"]:
    if cache.allowed is not None:
        return cache.allowed
    key = cache.key
    return torch.ones(*key.shape[:-3], key.shape[-2], dtype=torch.bool, device=key.device)
