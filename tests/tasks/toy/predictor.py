"""Sorting digits: the model, its codec, and what uses them; nothing of training."""

from typing import Literal, NamedTuple

import torch
from torch import nn

from regard.models import kinds, presets
from regard.models.config import ModelConfig
from regard.models.registry import Kind
from regard.nn import MultiHeadAttention


class SorterConfig(ModelConfig):
    kind: Literal["sorter"] = "sorter"
    digits: int
    width: int = 16


class Sorter(nn.Module):
    """Digits and their places, one attention; place i answers with the i-th smallest."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.digits, config.width)
        self.places = nn.Embedding(8, config.width)
        self.attention = MultiHeadAttention(config.width, 2)
        self.answer = nn.Linear(config.width, config.digits)

    def forward(self, digits):
        x = self.embedding(digits) + self.places.weight[: digits.shape[1]]  # (B, N, M)
        return self.answer(x + self.attention(x))  # (B, N, digits)


if "sorter" not in kinds:
    kinds.add("sorter", Kind(SorterConfig, Sorter))
    presets.add("sorter-tiny", SorterConfig)


class Digits(NamedTuple):
    """Between text such as ``3 1 2`` and numbers."""

    known: str

    def sizes(self):
        return {"digits": len(self.known)}

    def files(self):
        return {"digits.txt": self.known.encode()}


class Sorted(NamedTuple):
    source: str
    text: str

    def to_json(self):
        return self._asdict()

    def __rich__(self):
        return f"{self.source} → {self.text}"


class Sorting:
    def __init__(self, model, codec):
        self.model, self.codec = model, codec

    @staticmethod
    def codec_from(files, folder):
        return Digits(files["digits.txt"].decode())

    @torch.no_grad()
    def predict(self, inputs, *, looks=False):
        for text in inputs:
            read = torch.tensor([[self.codec.known.index(digit) for digit in text.split()]])
            found = self.model(read).argmax(dim=-1)[0].tolist()
            yield Sorted(text, " ".join(self.codec.known[place] for place in found))


PREDICTOR = Sorting
