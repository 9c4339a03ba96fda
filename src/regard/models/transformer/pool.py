"""Keys and values that all hypotheses of a sentence share, however they branch."""

from dataclasses import dataclass

import torch

from regard.types import Float, Int, Tensor

FIRST = 32
"""Positions there is room for at first."""


@dataclass(eq=False)
class _Room:
    """Tensors with room behind what is in them; who comes second to fill it gets a copy."""

    key: Float[Tensor, "B H N D"]
    value: Float[Tensor, "B H N D"]
    filled: int

    def copied(self, filled: int, size: int) -> "_Room":
        """The first ``filled`` entries, in a room of another size."""
        shape = (*self.key.shape[:2], size, self.key.shape[3])
        room = _Room(self.key.new_empty(shape), self.value.new_empty(shape), filled)
        room.key[:, :, :filled] = self.key[:, :, :filled]
        room.value[:, :, :filled] = self.value[:, :, :filled]
        return room


@dataclass(frozen=True, eq=False)
class Pool:
    """What a self-attention has kept: one entry for each hypothesis and step, of every sentence.

    Nothing in it ever changes: what is appended stands behind what earlier pools know of.
    """

    _room: _Room
    size: int = 0
    """Entries."""

    @staticmethod
    def empty(like: Float[Tensor, "B H S D"]) -> "Pool":
        """Room for as many sentences and heads as ``like`` has."""
        batch, heads, _, width = like.shape
        key, value = (like.new_empty(batch, heads, FIRST, width) for _ in range(2))
        return Pool(_Room(key, value, 0))

    @property
    def key(self) -> Float[Tensor, "B H n D"]:
        """All keys."""
        return self._room.key[:, :, : self.size]

    @property
    def value(self) -> Float[Tensor, "B H n D"]:
        """All values."""
        return self._room.value[:, :, : self.size]

    def appended(self, key: Float[Tensor, "B H k D"], value: Float[Tensor, "B H k D"]) -> "Pool":
        """These entries behind the others."""
        room, size = self._room, self.size + key.shape[2]
        if size > room.key.shape[2]:
            room = room.copied(self.size, max(size, 2 * room.key.shape[2]))
        elif room.filled != self.size:
            room = room.copied(self.size, room.key.shape[2])
        room.key[:, :, self.size : size] = key
        room.value[:, :, self.size : size] = value
        room.filled = size
        return Pool(room, size)

    def of(self, sentences: Int[Tensor, " b"]) -> "Pool":
        """The entries of these sentences, with room for more."""
        size = max(FIRST, self.size + self.size // 2)
        batch, (_, heads, _, width) = len(sentences), self._room.key.shape
        made = [self._room.key.new_empty(batch, heads, size, width) for _ in range(2)]
        for tensor, old in zip(made, (self.key, self.value), strict=True):
            torch.index_select(old, 0, sentences, out=tensor[:, :, : self.size])
        return Pool(_Room(made[0], made[1], self.size), self.size)
