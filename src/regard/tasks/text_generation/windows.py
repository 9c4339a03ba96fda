"""Windows of a text: no work per token but to copy it."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from regard.data.batches import Corpus, Pools
from regard.data.batches.pools import Pool, Positions
from regard.errors import InputError
from regard.types import Int, Tensor


class Batch(NamedTuple):
    """Some windows side by side."""

    tokens: Int[Tensor, "B T"]
    """What is read."""
    targets: Int[Tensor, "B T"]
    """The token after each of them."""
    indices: Int[Tensor, " B"]
    """Where each window begins in the text; of streams, which stream it is."""
    num_targets: int
    """Tokens to predict in this step, over all ranks."""
    first: bool = False
    """Whether streams begin with this batch."""

    def to(self, device: torch.device) -> "Batch":
        """The batch on another device."""
        tokens, targets, indices = (part.to(device) for part in self[:3])
        return self._replace(tokens=tokens, targets=targets, indices=indices)


@dataclass(frozen=True)
class Windows(Corpus[Batch]):
    """Windows of one length, by where they start."""

    text: NDArray[Any]
    starts: Positions
    length: int
    first: bool = False

    @property
    def steps(self) -> Positions:
        """All are equally long."""
        return np.full(len(self.starts), self.length)

    @property
    def counts(self) -> Positions:
        """Every token is predicted."""
        return self.steps

    @property
    def digest(self) -> str:
        """A short fingerprint of the text."""
        return digest(self.text)

    def __len__(self) -> int:
        """How many windows."""
        return len(self.starts)

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These windows side by side."""
        places = self.starts[rows][:, None] + np.arange(self.length + 1)
        both = torch.from_numpy(self.text[places].astype(np.int64))  # (B, T + 1)
        named = torch.from_numpy(indices.copy())
        return Batch(both[:, :-1], both[:, 1:], named, num_targets, self.first)


class WindowPools(Pools[Batch]):
    """The text cut into windows, every token once per epoch, cut elsewhere in each of them.

    Args:
        text: tokens.
        length: of a window, or the whole text where that is shorter.
        size: windows per pool.
    """

    def __init__(self, text: NDArray[Any], *, length: int, size: int = 2**13) -> None:
        self.text = require_text(text)
        self.length, self.size = min(length, len(text) - 1), size
        self._windows = max(1, (len(text) - 1) // self.length - 1)

    @property
    def count(self) -> int:
        """Pools of an epoch."""
        return -(-self._windows // self.size)

    @cached_property
    def identity(self) -> str:
        """The text and how it is cut."""
        return f"text {digest(self.text)}, windows of {self.length}"

    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool[Batch]:
        """A stretch of the shuffled windows."""
        order, offset = np.arange(self._windows), 0
        if generator is not None:
            room = len(self.text) - 1 - self._windows * self.length
            offset = int(generator.integers(room + 1))
            generator.shuffle(order)
        starts = offset + self.length * order[number * self.size : (number + 1) * self.size]
        rows = np.arange(len(starts))
        return Pool(Windows(self.text, starts, self.length), rows, starts)


class StreamPools(Pools[Batch]):
    """The text cut into streams that are read side by side, a piece of each in every batch.

    Args:
        text: tokens.
        length: of a piece.
        streams: how many.
    """

    def __init__(self, text: NDArray[Any], *, length: int, streams: int) -> None:
        self.text, self.streams = require_text(text), streams
        self._each = (len(text) - 1) // streams
        if not self._each:
            raise InputError(f"{streams} streams need more text than {len(text)} tokens")
        self.length = min(length, self._each)

    @property
    def count(self) -> int:
        """Batches of an epoch."""
        return self._each // self.length

    @cached_property
    def identity(self) -> str:
        """The text and how it is cut."""
        return f"text {digest(self.text)}, {self.streams} streams in pieces of {self.length}"

    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool[Batch]:
        """The next piece of every stream."""
        rows = np.arange(self.streams)
        starts = rows * self._each + number * self.length
        return Pool(Windows(self.text, starts, self.length, first=number == 0), rows, rows)


def digest(text: NDArray[Any]) -> str:
    """A short fingerprint of tokens."""
    return sha256(text.astype(np.int64).tobytes()).hexdigest()[:16]


def require_text(text: NDArray[Any]) -> NDArray[Any]:
    """The text in as few bytes as its tokens need, if there is one.

    Raises:
        InputError: there is nothing to predict.
    """
    if len(text) < 2:
        raise InputError(f"text generation needs at least two tokens of text, got {len(text)}")
    return text.astype(np.uint16 if text.max() < 2**16 else np.uint32)
