"""A captioner with its vocabulary, ready to be used: a picture in, a sentence out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.data.running import TextCodec
from regard.data.running.codec import codec_from
from regard.decoding import BatchLimit, Beam, Hypothesis, Limits, decode
from regard.decoding.search import Strategy
from regard.models.vision import Captioner
from regard.types import Float, Tensor

from ..described import Described
from ..seeing.eyes import Eyes, Opened, opened
from ..seeing.prompts import PicturePrompts
from .sample import CaptionedImage

if TYPE_CHECKING:
    from PIL.Image import Image

AHEAD = 128
"""Pictures that are read before the first is answered."""
LONGEST = 40
"""Words of a caption at most."""
_BEFORE_MARK = re.compile(r" (?=[,.;:!?])")
USUAL = Beam(size=4)


class Told(NamedTuple):
    """One caption, before it belongs to a picture."""

    text: str
    words: tuple[str, ...]
    hypothesis: Hypothesis
    weights: Float[Tensor, "T Y X"] | None


class PictureCaptioner(Described):
    """Says what is in a picture.

    >>> predictor("dog.jpg").text                 # one sample
    >>> predictor(["dog.jpg", "cat.png"])         # a list of them

    A picture may be a path, bytes, an open file, a picture of Pillow, pixels uint8 (3, Y, X), or a
    scene.

    Args:
        model: what writes.
        codec: its vocabulary.
        longest: words of a caption at most.
    """

    def __init__(self, model: Captioner, codec: TextCodec, *, longest: int = LONGEST) -> None:
        self.model, self.codec, self.longest = model, codec, longest
        self._eyes = Eyes(model.config.grid)

    codec_from = staticmethod(codec_from)

    def __call__(
        self, pictures: Any, *, looks: bool = False
    ) -> "CaptionedImage | list[CaptionedImage]":
        """The sample of one picture, or a list of those of a list or tuple."""
        if isinstance(pictures, list | tuple):
            return list(self.predict(pictures, looks=looks))
        return next(self.predict([pictures], looks=looks))

    def predict(
        self, inputs: Iterable[Any], *, looks: bool = False, strategy: Strategy = USUAL
    ) -> Iterator[CaptionedImage]:
        """The best caption of every picture, in their order.

        Args:
            inputs: they need never end; some are read before the first is answered.
            looks: whether to keep where each word looked.
            strategy: how to search.

        Raises:
            InputError: a picture that cannot be read.
        """
        stream = iter(inputs)
        while some := [opened(one) for one in islice(stream, AHEAD)]:
            told = self.captions(self.read([one.image for one in some]), strategy, looks=looks)
            for one, found in zip(some, told, strict=True):
                yield _sample(one, found)

    def read(self, pictures: "Sequence[Image]") -> Tensor:
        """Pictures as the model reads them: pixels or maps, one row each."""
        return self._eyes(pictures)

    def captions(
        self, pictures: Tensor, strategy: Strategy = USUAL, *, looks: bool = False
    ) -> list[Told]:
        """The best caption of every picture, as the model reads them.

        Args:
            pictures: pixels or maps, one row each.
            strategy: how to search.
            looks: whether to keep where each word looked.
        """
        tokens, extent = self.codec.tokens, self.model.extent
        found = decode(
            self.model,
            list(pictures),
            strategy=strategy,
            limits=Limits(max_length=self.longest, ratio=1000, forbidden=(tokens.unk,)),
            bos=tokens.bos,
            eos=tokens.eos,
            pad=tokens.pad,
            batch=BatchLimit(sentences=64, tokens=2**20),
            prompts=PicturePrompts(extent.height * extent.width),
            aligned=looks,
        )
        return [self._told(best) for best, *_ in found]

    def _told(self, best: Hypothesis) -> Told:
        words = tuple(self.codec.tokens.pieces_of(best.tokens))
        weights = best.weights
        if weights is not None:
            weights = weights[: len(words)].unflatten(-1, self.model.extent).cpu()
        text = _BEFORE_MARK.sub("", self.codec.tokens.text(words))
        return Told(text, words, best, weights)

    def about_codec(self) -> dict[str, str]:
        """What it reads and writes."""
        return {"tokens": f"{len(self.codec.tokens):,}"}


def _sample(one: Opened, told: Told) -> CaptionedImage:
    return CaptionedImage(
        name=one.name,
        image=one.image,
        size=one.size,
        text=told.text,
        words=told.words,
        log_prob=told.hypothesis.log_prob,
        finished=told.hypothesis.finished,
        weights=told.weights,
    )


PREDICTOR = PictureCaptioner
