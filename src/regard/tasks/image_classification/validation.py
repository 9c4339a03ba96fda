"""How good a model is by now, on pictures it has not learned from."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import torch
from torch import nn

from regard.data.images.labelled.base import Pixels
from regard.errors import InputError
from regard.measures import accuracy, f1
from regard.training.task import Comparison, Validation

from .codec import UNKNOWN_LABEL, PictureCodec
from .data import Example
from .inference import answers
from .predictor import PictureLabeller


class PictureValidator:
    """Measures a model on labelled pictures held out.

    A label that was not learned counts as wrong; no loss is taken of it.

    Args:
        pixels: (N, Y, X, 3), at the size of the codec.
        labels: of each.
        shown: those that are samples.
        codec: between labels and numbers.
        mirror: as the task has it.

    Raises:
        InputError: no label of theirs was learned.
    """

    left_out = 0

    def __init__(
        self,
        pixels: Pixels,
        labels: Sequence[str],
        shown: Sequence[Example],
        codec: PictureCodec,
        *,
        mirror: bool,
    ) -> None:
        self.pixels = torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2)
        self.labels, self.shown, self.codec, self.mirror = list(labels), shown, codec, mirror
        self._numbers = [codec.number(label) for label in self.labels]
        if all(number == UNKNOWN_LABEL for number in self._numbers):
            raise InputError(
                f"validation needs pictures of labels that were learned, such as "
                f"{codec.labels[0]!r}, got none but others, such as {self.labels[0]!r}"
            )

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        total = sha256(repr((self.labels, self.mirror)).encode())
        total.update(self.pixels.permute(0, 2, 3, 1).contiguous().numpy().data)
        return total.hexdigest()[:16]

    @property
    def size(self) -> int:
        """How many pictures."""
        return len(self.labels)

    def validate(self, model: nn.Module) -> Validation:
        """All scores of a model, which is left as it was."""
        found = torch.stack(
            [one.log_probs for one in answers(model, self.pixels, mirror=self.mirror)]
        )
        numbers = torch.tensor(self._numbers)
        known = numbers != UNKNOWN_LABEL
        picked = found[known].gather(1, numbers[known].unsqueeze(1))
        predicted = [self.codec.labels[best] for best in found.argmax(dim=-1).tolist()]
        scores = {
            "accuracy": accuracy(predicted, self.labels),
            "macro_f1": f1(predicted, self.labels).macro,
            "loss": -float(picked.mean()),
        }
        labeller = PictureLabeller(model, self.codec, mirror=self.mirror)
        first = [one.content for one in self.shown]
        return Validation(scores, tuple(labeller.predict(first, looks=True)))


def compared(before: Any, after: Any, examples: Sequence[Example]) -> Comparison:
    """Two predictors on the same pictures."""
    gold = [one.labels[0] for one in examples]
    first, second = (
        [sample.label for sample in each.predict([one.content for one in examples])]
        for each in (before, after)
    )
    return Comparison(
        examples=len(examples),
        changed=sum(left != right for left, right in zip(first, second, strict=True)),
        measure="accuracy",
        before=100 * accuracy(first, gold),
        after=100 * accuracy(second, gold),
    )
