"""From sources to what a model starts from: tokens, features, or what a task brings along."""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from torch.nn.functional import pad as pad_axes

from regard.types import Float, Int, Tensor


class Prompt(NamedTuple):
    """The sources of one batch, as the model's ``start`` takes them."""

    inputs: Any
    """A tensor, or whatever the model reads; one element for each source."""
    lengths: Int[Tensor, " B"]
    """How much of each is not padding."""
    first: Int[Tensor, " B"] | None = None
    """The token that each row is fed first; ``None``: the one that begins a sentence."""


@runtime_checkable
class Prompts(Protocol):
    """How sources of one type become prompts. A task with sources of its own passes its own."""

    def length(self, source: Any) -> int:
        """Positions that a model can look at; by them sources are sorted and answers limited."""

    def key(self, source: Any) -> object:
        """What tells a source from others, by its ``repr``: equal ones are answered alike."""

    def batch(self, sources: Sequence[Any], device: torch.device) -> Prompt:
        """These sources together, filled up to the longest."""


class TokenPrompts:
    """Lists of token numbers, as (B, S).

    Args:
        pad: token that fills up short ones.
    """

    def __init__(self, pad: int = 0) -> None:
        self._pad = pad

    def length(self, source: Sequence[int]) -> int:
        """Tokens."""
        return len(source)

    def key(self, source: Sequence[int]) -> object:
        """The tokens themselves."""
        return [int(token) for token in source]

    def batch(self, sources: Sequence[Sequence[int]], device: torch.device) -> Prompt:
        """Filled up with ``pad``."""
        width = max(map(len, sources))
        rows = [[*source, *[self._pad] * (width - len(source))] for source in sources]
        lengths = [len(source) for source in sources]
        return Prompt(
            torch.tensor(rows, dtype=torch.long, device=device),  # (B, S)
            torch.tensor(lengths, device=device),
        )


class ContinuedPrompts(TokenPrompts):
    """Beginnings that a decoder-only model continues.

    ``start`` gets all tokens of a beginning but the last, which is what the first step is fed.
    """

    def begun(self, source: Sequence[int]) -> list[int]:
        """A beginning is part of what is written."""
        return [int(token) for token in source]

    def batch(self, sources: Sequence[Sequence[int]], device: torch.device) -> Prompt:
        """All but the last token (B, S - 1), and the last."""
        inputs, lengths, _ = super().batch([source[:-1] for source in sources], device)
        return Prompt(inputs, lengths, torch.tensor([source[-1] for source in sources]).to(device))


class FeaturePrompts:
    """Feature maps (S, ...), e.g. the positions of an image with their channels, as (B, S, ...)."""

    def length(self, source: Float[Tensor, "S *D"]) -> int:
        """Positions."""
        return len(source)

    def key(self, source: Float[Tensor, "S *D"]) -> object:
        """A digest of the numbers."""
        numbers = source.detach().cpu().contiguous()
        digest = hashlib.blake2b(numbers.view(torch.uint8).numpy().tobytes(), digest_size=16)
        return tuple(source.shape), digest.hexdigest()

    def batch(self, sources: Sequence[Float[Tensor, "_ *D"]], device: torch.device) -> Prompt:
        """Filled up with zeros."""
        width = max(map(len, sources))
        filled = [
            pad_axes(source, (*[0, 0] * (source.dim() - 1), 0, width - len(source)))
            for source in sources
        ]
        lengths = torch.tensor([len(source) for source in sources], device=device)
        return Prompt(torch.stack(filled).to(device), lengths)  # (B, S, ...)


def begun(prompts: Prompts, source: Any) -> list[int]:
    """The tokens of ours that an answer begins with: none, where the source is another text."""
    return prompts.begun(source) if isinstance(prompts, ContinuedPrompts) else []
