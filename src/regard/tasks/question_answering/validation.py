"""How good a reader is by now, on questions it has not learned from."""

import json
from collections.abc import Sequence
from hashlib import sha256

from torch import nn

from regard.data.annotated import LabelCodec
from regard.data.reading import Question
from regard.errors import InputError
from regard.measures import answer_score
from regard.training.task import Comparison, Validation

from .data import FormName
from .form import form
from .predictor import Reader
from .sample import StoryLook

SAMPLES = 3


class ReadingValidator:
    """Measures a reader on questions held out.

    Args:
        held_out: questions with their answers; those with too long passages are left out.
        codec: between text and numbers.
        name: the form of answers.
        max_tokens: padded tokens of a batch.
        longest: tokens or sentences of a passage at most; all are taken if not given.

    Raises:
        InputError: all passages are too long.
    """

    def __init__(
        self,
        held_out: Sequence[Question],
        codec: LabelCodec,
        name: FormName,
        *,
        max_tokens: int,
        longest: int | None = None,
    ) -> None:
        self.form, self.codec, self.max_tokens = form(name), codec, max_tokens
        self.held_out = [one for one in held_out if self.form.fits(one, longest)]
        self.left_out = len(held_out) - len(self.held_out)
        if not self.held_out:
            raise InputError(
                f"validation needs passages of at most {longest} tokens, all {self.left_out} are "
                "longer; name a file of others for it"
            )

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        text = json.dumps([[one.passage, one.question, one.texts] for one in self.held_out])
        return sha256(text.encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        """How many questions."""
        return len(self.held_out)

    def validate(self, model: nn.Module) -> Validation:
        """All scores of a model, which is left as it was."""
        reader = Reader(model, self.codec)
        samples = list(reader.predict(self.held_out, max_tokens=self.max_tokens))
        score = answer_score(
            [one.answer for one in samples], [list(one.texts) for one in self.held_out]
        )
        pairs = list(zip(samples, self.held_out, strict=True))
        told = [self.form.nll(sample, one, self.codec) for sample, one in pairs]
        known = [nll for nll in told if nll is not None]
        mass = [
            sample.look.mass(one.supports)
            for sample, one in pairs
            if one.supports and isinstance(sample.look, StoryLook)
        ]
        scores = {
            "exact": score.exact,
            "f1": score.f1,
            "loss": sum(known) / len(known) if known else None,
            "support": sum(mass) / len(mass) if mass else None,
        }
        return Validation(scores, tuple(samples[:SAMPLES]))


def compared(before: Reader, after: Reader, held_out: Sequence[Question]) -> Comparison:
    """Two readers on the same questions."""
    references = [list(one.texts) for one in held_out]
    first, second = (
        [sample.answer for sample in each.predict(held_out)] for each in (before, after)
    )
    return Comparison(
        examples=len(held_out),
        changed=sum(left != right for left, right in zip(first, second, strict=True)),
        measure="exact match",
        before=100 * answer_score(first, references).exact,
        after=100 * answer_score(second, references).exact,
    )
