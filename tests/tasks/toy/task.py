"""Sorting digits as a task: all that training asks."""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from regard.data.batches import Corpus, EndlessPools
from regard.training import Loss, Measure, Objective, Task, Validation

from .predictor import Digits, Sorting


class Batch(NamedTuple):
    digits: torch.Tensor
    indices: torch.Tensor
    num_targets: int

    def to(self, device):
        return self._replace(digits=self.digits.to(device), indices=self.indices.to(device))


@dataclass(frozen=True)
class Lists(Corpus[Batch]):
    numbers: np.ndarray

    steps = counts = property(lambda self: np.full(len(self.numbers), self.numbers.shape[1]))
    digest = "drawn"

    def __len__(self):
        return len(self.numbers)

    def batch(self, rows, *, indices, num_targets):
        chosen = torch.from_numpy(self.numbers[rows])
        return Batch(chosen, torch.from_numpy(indices.copy()), num_targets)


class SortingObjective(Objective[Batch]):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, batch):
        wanted, logits = batch.digits.sort(dim=-1).values, self.model(batch.digits)
        nll = cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="sum")
        return Loss(nll, {"nll": nll.detach()})

    def empty_batch(self):
        return Batch(torch.zeros(0, 3, dtype=torch.long), torch.zeros(0, dtype=torch.long), 1)


class Judge(NamedTuple):
    lists: torch.Tensor
    codec: Digits
    identity = "seed 1"
    left_out = 0
    size = property(lambda self: len(self.lists))

    def validate(self, model):
        texts = [" ".join(map(str, one)) for one in self.lists.tolist()]
        samples = tuple(Sorting(model, self.codec).predict(texts))
        right = [one.text.split() == sorted(one.source.split()) for one in samples]
        return Validation({"sorted": sum(right) / len(right)}, samples[:2])


class SortingTask(Task):
    kind: Literal["sorting"] = "sorting"
    length: int = 3
    measures: ClassVar = (Measure("sorted", "sorted", best=1.0, percent=True),)

    def learn(self):
        return Digits("0123456789")

    def _draw(self, number):
        return np.random.default_rng([number]).integers(10, size=self.length)

    def pools(self, codec, *, longest):
        def encode(drawn):
            return Lists(np.stack(list(drawn)))

        return EndlessPools(self._draw, encode, name="digits", size=512)

    def objective(self, model):
        return SortingObjective(model)

    def validator(self, codec, *, max_tokens, longest):
        drawn = np.random.default_rng([1, 2]).integers(10, size=(64, self.length))
        return Judge(torch.from_numpy(drawn), codec)


TASK = SortingTask
