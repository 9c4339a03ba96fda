"""How good a model is by now, on texts it has not learned from."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from torch import nn

from regard.data.annotated import Example, LabelCodec
from regard.data.annotated.codec import UNKNOWN_LABEL
from regard.errors import InputError
from regard.measures import accuracy, f1
from regard.training.task import Comparison, Validation

from .corpus import encode
from .inference import answers

SAMPLES = 3


class LabelValidator:
    """Measures a model on annotated texts held out.

    A label that was not learned counts as wrong wherever it stands; no loss is taken of it.

    Args:
        held_out: texts with their labels; those too long are left out.
        codec: between text and numbers.
        predictor: what makes samples of a model.
        per_word: whether every word has a label, or every text.
        max_tokens: padded tokens of a batch.
        longest: tokens of a text at most; all are taken if not given.

    Raises:
        InputError: all texts are too long, or no label of theirs was learned.
    """

    def __init__(
        self,
        held_out: Sequence[Example],
        codec: LabelCodec,
        predictor: Any,
        *,
        per_word: bool,
        max_tokens: int,
        longest: int | None = None,
    ) -> None:
        fits = [longest is None or len(codec.pieces(one.content)) <= longest for one in held_out]
        self.held_out = [one for one, kept in zip(held_out, fits, strict=True) if kept]
        self.left_out = len(held_out) - len(self.held_out)
        if not self.held_out:
            raise InputError(
                f"validation needs texts of at most {longest} tokens, all {self.left_out} are "
                "longer; name a file of others for it"
            )
        self.codec, self.predictor, self.max_tokens = codec, predictor, max_tokens
        self._corpus = encode(self.held_out, codec, per_word=per_word)
        if (self._corpus.labels.values == UNKNOWN_LABEL).all():
            first = self.held_out[0]
            raise InputError(
                f"{first.place or 'validation'}: needs labels that were learned from, such as "
                f"{codec.labels[0]!r}, got none but others, such as {first.labels[0]!r}"
            )

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        text = json.dumps([[one.text, one.labels] for one in self.held_out])
        return sha256(text.encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        """How many texts."""
        return len(self.held_out)

    def validate(self, model: nn.Module) -> Validation:
        """All scores of a model, which is left as it was."""
        found = answers(model, self._corpus, max_tokens=self.max_tokens)
        nll, counted = 0.0, 0
        predicted: list[str] = []
        gold: list[str] = []
        for number, (one, answer) in enumerate(zip(self.held_out, found, strict=True)):
            log_probs = answer.log_probs.view(-1, len(self.codec.labels))  # (N, V) or (1, V)
            predicted += [self.codec.labels[best] for best in log_probs.argmax(dim=-1).tolist()]
            gold += one.labels
            for row, label in enumerate(self._corpus.labels.row(number).tolist()):
                if label != UNKNOWN_LABEL:
                    nll -= float(log_probs[row, label])
                    counted += 1
        scores = {
            "accuracy": accuracy(predicted, gold),
            "macro_f1": f1(predicted, gold).macro,
            "loss": nll / counted,
        }
        shown = self.predictor(model, self.codec)
        first = [one.content for one in self.held_out[:SAMPLES]]
        return Validation(scores, tuple(shown.predict(first, looks=True)))


def compared(before: Any, after: Any, held_out: Sequence[Example]) -> Comparison:
    """Two predictors on the same texts."""
    gold = [label for one in held_out for label in one.labels]
    first, second = (
        [sample.labels for sample in each.predict([one.content for one in held_out])]
        for each in (before, after)
    )
    return Comparison(
        examples=len(held_out),
        changed=sum(left != right for left, right in zip(first, second, strict=True)),
        measure="accuracy",
        before=100 * accuracy([label for one in first for label in one], gold),
        after=100 * accuracy([label for one in second for label in one], gold),
    )
