"""Word vectors, ready to be compared; nothing of training."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from regard.lens.space import Near, Space
from regard.models import WordVectors
from regard.notebook import table
from regard.types import Float, Tensor

from ..described import Described
from .codec import WordCodec, codec_from

if TYPE_CHECKING:
    from rich.console import RenderableType


class Nearest(NamedTuple):
    """A word and what lies nearest."""

    word: str
    nearest: tuple[Near, ...]

    def to_json(self) -> dict[str, Any]:
        """Words with their cosines."""
        return {"word": self.word, "nearest": [one._asdict() for one in self.nearest]}

    def __str__(self) -> str:
        """The word and its neighbours in a line."""
        return f"{self.word}: {', '.join(one.word for one in self.nearest)}"

    def __rich__(self) -> "RenderableType":
        """The word and its neighbours in a line."""
        from rich.text import Text

        near = ", ".join(f"{word} {cosine:.2f}" for word, cosine in self.nearest)
        return Text.assemble((self.word, "bold"), f": {near}")

    def _repr_html_(self) -> str:
        return table((self.word, "cosine"), [(w, f"{c:.3f}") for w, c in self.nearest])


class WordEmbedder(Described):
    """Vectors of words.

    >>> regard.load("run").space.nearest("cat")

    Args:
        model: what holds the vectors.
        codec: the words.
    """

    def __init__(self, model: WordVectors, codec: WordCodec) -> None:
        self.model, self.codec = model, codec

    def about_codec(self) -> dict[str, str]:
        """How many words."""
        return {"words": f"{len(self.codec.words):,}"}

    codec_from = staticmethod(codec_from)

    @cached_property
    def space(self) -> Space:
        """All words and their vectors."""
        return Space(self.codec.words, self.model.words.weight.detach().cpu())

    def vectors(self, texts: Iterable[str]) -> Float[Tensor, "T D"]:
        """One vector for each text: the mean of those of its words; zero if it has none of them."""
        return torch.stack([self._mean(text) for text in texts])

    def _mean(self, text: str) -> Float[Tensor, " D"]:
        numbers = self.codec.encode(text)
        return self.space.vectors[numbers].sum(dim=0) / max(1, len(numbers))

    def __call__(self, words: str | Iterable[str], *, top: int = 5) -> Nearest | list[Nearest]:
        """What lies nearest to a word, or to several."""
        if isinstance(words, str):
            return next(self.predict([words], top=top))
        return list(self.predict(words, top=top))

    def predict(
        self, inputs: Iterable[str], *, top: int = 5, looks: bool = False
    ) -> Iterator[Nearest]:
        """What lies nearest to every word; vectors look at nothing.

        Raises:
            ChoiceError: a word without a vector.
        """
        return (Nearest(word, tuple(self.space.nearest(word, top))) for word in inputs)


PREDICTOR = WordEmbedder
