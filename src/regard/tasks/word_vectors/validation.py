"""Word vectors on text held out: always the same pairs."""

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn.functional import embedding

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.decoding.protocol import device_of
from regard.models import WordVectors
from regard.training.task import Validation

from .codec import WordCodec
from .corpus import encode
from .objective import WordVectorsObjective
from .predictor import WordEmbedder

if TYPE_CHECKING:
    from .task import WordVectorsTask

SAMPLES = 3


class WordVectorsValidator:
    """Scores vectors on text held out.

    Args:
        task: its data and how pairs are drawn.
        codec: the words.
        max_tokens: words of a batch.
    """

    left_out = 0

    def __init__(self, task: "WordVectorsTask", codec: WordCodec, *, max_tokens: int) -> None:
        self.task, self.codec = task, codec
        self._texts = encode(task.data.held_out(), codec, task.sampling, longest=max_tokens)
        self._config = BatchConfig(max_tokens=max_tokens, order="by_length")

    @property
    def identity(self) -> str:
        """Of texts and pairs."""
        return self._texts.digest

    @property
    def size(self) -> int:
        """How many texts."""
        return len(self._texts)

    @torch.no_grad()
    def validate(self, model: nn.Module) -> Validation:
        """How often a word that stands beside another is nearer to it than one drawn."""
        assert isinstance(model, WordVectors)
        objective = WordVectorsObjective(
            model, negatives=self.task.sampling.negatives, method=self.task.method
        )
        loss, ranked, count = 0.0, 0.0, 0
        device = device_of(model)
        for batch in Batches(FinitePools(self._texts), self._config):
            batch = batch.to(device)
            vectors, wanted = objective.pairs(batch)
            near = (vectors * embedding(wanted, model.contexts.weight)).sum(dim=-1, keepdim=True)
            far = vectors @ embedding(batch.negatives, model.contexts.weight).T  # (P, S)
            above = (near > far).float() + 0.5 * (near == far).float()
            ranked += above.mean(dim=1).sum().item()
            loss += objective(batch).total.item()
            count += len(wanted)
        middle = len(self.codec.words) // 20
        words = self.codec.words[middle : middle + SAMPLES]
        samples = tuple(WordEmbedder(model, self.codec).predict(words))
        count = max(1, count)
        return Validation({"ranked": ranked / count, "loss": loss / count}, samples)
