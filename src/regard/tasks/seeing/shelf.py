"""Many pictures as model inputs, in memory or in files that stand in for it."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import torch

from regard.errors import InputError
from regard.types import Tensor

PART = 256
"""Pictures that lie together."""


class Shelf:
    """Pictures by their numbers.

    Args:
        parts: tensors of :data:`PART` pictures each, the last of what is left.
        digest: a short fingerprint of all of them.
    """

    def __init__(self, parts: Sequence[Tensor], digest: str) -> None:
        self.parts, self.digest = tuple(parts), digest

    @staticmethod
    def of(pictures: Iterable[Tensor]) -> "Shelf":
        """Tensors of one shape, all in memory.

        Raises:
            InputError: there is none.
        """
        parts: list[Tensor] = []
        waiting: list[Tensor] = []
        total = blake2b(digest_size=8)
        for picture in pictures:
            waiting.append(picture.contiguous())
            total.update(waiting[-1].numpy().tobytes())
            if len(waiting) == PART:
                parts.append(torch.stack(waiting))
                waiting = []
        if waiting:
            parts.append(torch.stack(waiting))
        if not parts:
            raise InputError("pictures are needed to learn from, got none")
        return Shelf(parts, total.hexdigest())

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def rows(self, numbers: Iterable[int]) -> Tensor:
        """These pictures, as a batch."""
        return torch.stack([self.parts[n // PART][n % PART] for n in numbers])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one picture."""
        return tuple(self.parts[0].shape[1:])
