"""Pictures as what a captioner starts from."""

from collections.abc import Sequence
from hashlib import blake2b

import torch

from regard.decoding import Prompt
from regard.types import Tensor


class PicturePrompts:
    """Pictures as a model reads them, all of one shape.

    Args:
        places: how many places of each the model looks at.
    """

    def __init__(self, places: int) -> None:
        self._places = places

    def length(self, source: Tensor) -> int:
        """Places of the grid."""
        return self._places

    def key(self, source: Tensor) -> object:
        """A digest of the numbers."""
        data = source.contiguous().view(torch.uint8).numpy().tobytes()
        return tuple(source.shape), blake2b(data, digest_size=16).hexdigest()

    def batch(self, sources: Sequence[Tensor], device: torch.device) -> Prompt:
        """Side by side."""
        lengths = torch.full((len(sources),), self._places, device=device)
        return Prompt(torch.stack(list(sources)).to(device), lengths)
