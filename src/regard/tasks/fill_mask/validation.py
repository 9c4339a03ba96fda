"""Masked accuracy on texts held out, always with the same tokens hidden."""

from collections.abc import Iterator, Sequence

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.data.running import TextCodec
from regard.data.vocabulary import split
from regard.decoding.protocol import device_of, inference
from regard.models import Bert
from regard.training.task import Validation

from .batch import Batch
from .corpus import encode
from .masking import Masking
from .predictor import Filler
from .sample import HOLE

SAMPLES = 3
SHORT = 12
"""Words of a sample at most, where there are such."""


class FillMaskValidator:
    """Scores a model on texts held out.

    Args:
        texts: which.
        codec: between text and tokens.
        masking: what is hidden of them, as in the first epoch.
        max_tokens: padded tokens of a batch.
        longest: tokens of a text at most.
    """

    left_out = 0

    def __init__(
        self,
        texts: Sequence[str],
        codec: TextCodec,
        masking: Masking,
        *,
        max_tokens: int,
        longest: int,
    ) -> None:
        self.codec = codec
        self._texts = encode(texts, codec.tokens, masking, longest=longest)
        self._config = BatchConfig(max_tokens=max_tokens, order="by_length")
        self.holes = [_with_a_hole(text) for text in texts]
        """The texts, one word of each hidden."""
        self._samples = [_with_a_hole(text) for text in _short(texts)]

    @property
    def identity(self) -> str:
        """Of texts and hidden tokens."""
        return self._texts.digest

    @property
    def size(self) -> int:
        """How many texts."""
        return len(self._texts)

    def batches(self) -> Iterator[Batch]:
        """The texts with their hidden tokens, from short to long."""
        return iter(Batches(FinitePools(self._texts), self._config))

    def validate(self, model: nn.Module) -> Validation:
        """Share of hidden tokens that are guessed, and how surprising they are."""
        assert isinstance(model, Bert)
        nll, hits, count = 0.0, 0, 0
        device = device_of(model)
        for batch in self.batches():
            batch = batch.to(device)
            with inference(model):
                features = model.features_at(batch.places, batch.tokens, batch.lengths)
                logits = model.output(features).float()  # (R, V)
                nll += cross_entropy(logits, batch.targets, reduction="sum").item()
                hits += int((logits.argmax(dim=-1) == batch.targets).sum())
            count += len(batch.targets)
        with torch.no_grad():
            samples = tuple(Filler(model, self.codec).predict(self._samples))
        return Validation({"accuracy": hits / count, "loss": nll / count}, samples)


def _short(texts: Sequence[str]) -> list[str]:
    lengths = {text: len(split(text)) for text in texts}
    few = [text for text in texts if 4 <= lengths[text] <= SHORT]
    return (few or list(texts))[:SAMPLES]


def _with_a_hole(text: str) -> str:
    """The text with its longest word hidden."""
    words = split(text)
    return text.replace(max(words, key=len), HOLE, 1)
