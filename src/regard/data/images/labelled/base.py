"""Pictures with labels: in memory already, or to be read one by one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from regard.errors import InputError

from ..pixels import pixels
from ..store import PictureStore

Pixels = NDArray[np.uint8]
"""(N, Y, X, 3)."""
Size = tuple[int, int]
"""Height and width."""


class Labelled(ABC):
    """Pictures, each with a label.

    Args:
        labels: of each.
        places: what each is called in messages.
    """

    size: Size | None = None
    """That of all of them; ``None`` if they need not have one."""

    def __init__(self, labels: Sequence[str], places: Sequence[str]) -> None:
        assert len(labels) == len(places)
        self.labels = tuple(labels)
        self.places = tuple(places)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.labels)

    @abstractmethod
    def source(self, number: int) -> object:
        """One of them, as a predictor takes it."""

    @abstractmethod
    def pixels(self, size: Size) -> Pixels:
        """All of them at one size.

        Raises:
            InputError: one that cannot be read.
        """


class Arrays(Labelled):
    """Pictures in memory.

    Args:
        numbers: (N, Y, X, 3).
        labels: of each.
        name: of where they come from.
    """

    def __init__(self, numbers: Pixels, labels: Sequence[str], name: str) -> None:
        super().__init__(labels, [f"{name}, picture {n}" for n in range(1, len(labels) + 1)])
        if len(numbers) != len(labels):
            raise InputError(
                f"{name}: needs a label for every picture, got {len(labels):,} labels for "
                f"{len(numbers):,} pictures"
            )
        self.numbers = numbers
        self.size = (numbers.shape[1], numbers.shape[2])

    def source(self, number: int) -> torch.Tensor:
        """Its pixels, (3, Y, X)."""
        return torch.from_numpy(self.numbers[number]).permute(2, 0, 1)

    def pixels(self, size: Size) -> Pixels:
        """All of them, squeezed if their size is another."""
        if size == self.size:
            return self.numbers
        from PIL import Image

        found = np.empty((len(self), *size, 3), dtype=np.uint8)
        for number, one in enumerate(self.numbers):
            found[number] = pixels(Image.fromarray(one), size).permute(1, 2, 0).numpy()
        return found


class Files(Labelled):
    """Pictures in a store, read when they are asked for.

    Args:
        store: where they are.
        names: of each.
        labels: of each.
        places: where each is named, for messages; its name if not given.
    """

    def __init__(
        self,
        store: PictureStore,
        names: Sequence[str],
        labels: Sequence[str],
        places: Sequence[str] = (),
    ) -> None:
        super().__init__(labels, places or [str(store.path / name) for name in names])
        self.store, self.names = store, tuple(names)

    def source(self, number: int) -> object:
        """The picture itself."""
        return self.store[self.names[number]]

    def pixels(self, size: Size) -> Pixels:
        """All of them, each squeezed to the size."""
        found = np.empty((len(self), *size, 3), dtype=np.uint8)
        for number, name in enumerate(self.names):
            found[number] = pixels(self.store[name], size).permute(1, 2, 0).numpy()
        return found
