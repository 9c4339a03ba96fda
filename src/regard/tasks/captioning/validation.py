"""How good a captioner is by now, on pictures it has not learned from."""

import json
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from torch import nn

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.data.running import TextCodec
from regard.decoding import Beam, Greedy
from regard.decoding.protocol import device_of, inference
from regard.decoding.search import Strategy
from regard.measures import points_at
from regard.measures.captions import caption_bleu, caption_words
from regard.models.vision import Captioner
from regard.training.cross_entropy import smoothed_cross_entropy
from regard.training.task import Comparison, Validation

from ..seeing.reading import MapReading, PixelReading
from .corpus import Corpus, encode
from .example import Captioned, boxes_by_noun
from .predictor import PictureCaptioner, Told

SAMPLES = 2


class Scored(NamedTuple):
    """Counts of one picture."""

    right: bool
    """Whether the caption is one of those that are right."""
    hits: int
    """Nouns whose map is largest on what they stand for."""
    nouns: int


def scored(one: Captioned, told: Told) -> Scored:
    """What is right about a caption; hits are counted where a scene says what is where."""
    said = {caption_words(text) for text in one.captions}
    hits = nouns = 0
    if one.scene is not None and told.weights is not None:
        for place, boxes in boxes_by_noun(one.scene, told.words).items():
            nouns += 1
            hits += points_at(told.weights[place], boxes)
    return Scored(caption_words(told.text) in said, hits, nouns)


class CaptionValidator:
    """Measures a captioner on pictures held out.

    Args:
        held_out: pictures with all their captions.
        codec: of the words.
        reading: of the pictures.
        max_tokens: padded tokens of a batch.
        strategy: how captions are searched for.
    """

    left_out = 0

    def __init__(
        self,
        held_out: Sequence[Captioned],
        codec: TextCodec,
        reading: PixelReading | MapReading,
        *,
        max_tokens: int,
        strategy: Strategy | None = None,
    ) -> None:
        self.held_out, self.codec, self.reading = list(held_out), codec, reading
        self.strategy = strategy or Greedy()
        self._config = BatchConfig(max_tokens=max_tokens, max_rows=64, order="by_length")

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        text = json.dumps([[one.name, one.captions] for one in self.held_out])
        return sha256(text.encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        """How many pictures."""
        return len(self.held_out)

    def validate(self, model: nn.Module) -> Validation:
        """All scores of a model, which is left as it was."""
        assert isinstance(model, Captioner)
        told = self.told(model)
        found = [scored(one, text) for one, text in zip(self.held_out, told, strict=True)]
        nouns = sum(one.nouns for one in found)
        texts, references = [one.text for one in told], [one.captions for one in self.held_out]
        scores = {
            "bleu4": caption_bleu(texts, references).value,
            "exact": sum(one.right for one in found) / len(found),
            "pointing": sum(one.hits for one in found) / nouns if nouns else None,
            "loss": self._loss(model),
        }
        predictor = PictureCaptioner(model, self.codec)
        first = [one.image() for one in self.held_out[:SAMPLES]]
        return Validation(scores, tuple(predictor.predict(first, looks=True)))

    def told(self, model: Captioner) -> list[Told]:
        """A caption of every picture, with where its words looked."""
        predictor, shelf = PictureCaptioner(model, self.codec), self._corpus.shelf
        some = [range(i, min(i + 256, self.size)) for i in range(0, self.size, 256)]
        return [
            one
            for rows in some
            for one in predictor.captions(shelf.rows(rows), self.strategy, looks=True)
        ]

    @cached_property
    def _corpus(self) -> Corpus:
        return encode(self.held_out, codec=self.codec, reading=self.reading)

    def _loss(self, model: Captioner) -> float:
        """Nats per token, of all captions."""
        nll, tokens, device = 0.0, 0, device_of(model)
        for batch in Batches(FinitePools(self._corpus), self._config):
            batch = batch.to(device)
            with inference(model):
                decoded = model.decode_parallel(batch.pictures, batch.target_in)
                nll += smoothed_cross_entropy(
                    decoded.features, batch.target_out, model.output, pad=model.config.pad
                ).nll.item()
            tokens += batch.num_targets
        return nll / tokens


def compared(before: Any, after: Any, held_out: Sequence[Captioned]) -> Comparison:
    """Two predictors on the same pictures."""
    images = [one.image() for one in held_out]
    first, second = ([one.text for one in each.predict(images)] for each in (before, after))
    references = [one.captions for one in held_out]
    return Comparison(
        examples=len(held_out),
        changed=sum(left != right for left, right in zip(first, second, strict=True)),
        measure="BLEU-4",
        before=caption_bleu(first, references).value,
        after=caption_bleu(second, references).value,
    )


BEST = Beam(size=5)
"""How captions are searched for where it counts."""
