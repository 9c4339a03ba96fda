"""The two halves of a Transformer as decoding sees them, however they are computed."""

from typing import NamedTuple, Protocol, runtime_checkable

from regard.kernels.paged import Pages
from regard.types import Float, Tensor

from .sentences import Sentences
from .storage import Layers


class Looked(NamedTuple):
    """Keys and values side by side, a matrix for each layer, and who looks at which rows."""

    layers: Layers
    pages: Pages


class Said(NamedTuple):
    """What comes out of a step."""

    logits: Float[Tensor, "R V"]
    query: Float[Tensor, "R M"]
    """What looked at the source, in the layer that says where it looked."""


@runtime_checkable
class EncoderHalf(Protocol):
    """From the embeddings of sentences to what a decoder looks at."""

    def __call__(self, below: Sentences) -> Layers:
        """Keys and values of all tokens, for every layer of the decoder; ``below`` is gone."""


@runtime_checkable
class DecoderHalf(Protocol):
    """From the embeddings of one position to what is said of the next."""

    def step(self, x: Float[Tensor, "R M"], first: int, own: Looked, memory: Looked) -> Said:
        """One position further.

        Args:
            x: embeddings of the position; they may be written over.
            first: where among the rows of ``own`` its keys and values are written.
            own: the target, this position included.
            memory: the source.
        """


class Halves(NamedTuple):
    """Both, with the parameters as they were when they were laid out."""

    encoder: EncoderHalf
    decoder: DecoderHalf
