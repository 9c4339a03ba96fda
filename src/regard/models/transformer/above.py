"""What stands above a decoder's layers."""

from typing import NamedTuple

from torch import nn

from regard.types import Float, Tensor

from ..output import Unembedding


class Above(NamedTuple):
    """The last norm and the output layer."""

    norm: nn.Module
    output: Unembedding

    def logits(self, states: Float[Tensor, "B M"]) -> Float[Tensor, "B V"]:
        """From states above all layers to logits."""
        logits: Tensor = self.output(self.norm(states))
        return logits
