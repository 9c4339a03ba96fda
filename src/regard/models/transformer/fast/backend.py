"""What computes a Transformer on pages: the interface that ``eager`` and ``compiled`` implement."""

from typing import NamedTuple, Protocol, runtime_checkable

from regard.kernels.paged import Pages
from regard.types import Float, Tensor

from .flat_sentences import FlatSentences
from .storage import Layers


class PagedMemory(NamedTuple):
    """Keys and values side by side, a matrix for each layer, and the page table over their rows."""

    layers: Layers
    pages: Pages


class StepOutput(NamedTuple):
    """What comes out of a step."""

    logits: Float[Tensor, "R V"]
    query: Float[Tensor, "R M"]
    """What looked at the source, in the layer that says where it looked."""


@runtime_checkable
class EncoderBackend(Protocol):
    """From the embeddings of sentences to what a decoder looks at."""

    def __call__(self, below: FlatSentences) -> Layers:
        """Keys and values of all tokens, for every decoder layer; ``below`` is overwritten."""


@runtime_checkable
class DecoderBackend(Protocol):
    """From the embeddings of one position to the logits of the next."""

    def step(
        self, x: Float[Tensor, "R M"], first: int, own: PagedMemory, memory: PagedMemory
    ) -> StepOutput:
        """One position further.

        Args:
            x: embeddings of the position; they may be overwritten.
            first: where among the rows of ``own`` its keys and values are written.
            own: the target, this position included.
            memory: the source.
        """


class DecodingBackend(NamedTuple):
    """Both, with the parameters as they were when they were laid out."""

    encoder: EncoderBackend
    decoder: DecoderBackend
