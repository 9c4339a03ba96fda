"""How good a model is by now, on sentences it has not learned from."""

import json
import math
from collections.abc import Callable, Sequence
from hashlib import sha256

from torch import nn

from regard.data.alignment import side
from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.data.pairs import Links
from regard.data.vocabulary import Vocabularies
from regard.decoding.protocol import device_of, inference
from regard.errors import InputError
from regard.measures import (
    Argmax,
    Gold,
    References,
    Rule,
    alignment_score,
    bleu,
    chrf,
    exact,
    phoneme_error,
    rouge_l,
    word_error,
    word_links,
)
from regard.models import Seq2Seq
from regard.tasks.translation import HeldOut
from regard.tasks.translation.corpus import Corpus, encode
from regard.tasks.translation.example import Example
from regard.tasks.translation.predictor import Translator
from regard.training.cross_entropy import smoothed_cross_entropy
from regard.training.task import Validation
from regard.types import Tensor

TextScore = Callable[[Sequence[str], References], float]

TEXT_SCORES: dict[str, TextScore] = {
    "bleu": lambda texts, references: bleu(texts, references).value,
    "chrf": lambda texts, references: chrf(texts, references).value,
    "exact": exact,
    "rouge-l": rouge_l,
    "word-error": word_error,
    "phoneme-error": phoneme_error,
}


def text_score(name: str, texts: Sequence[str], references: References) -> float:
    """One measure of texts, each with its references."""
    return TEXT_SCORES[name](texts, references)


MOST_NATS = 700.0
"""Whose exponential is still a number."""


class TranslationValidator:
    """Measures a model on pairs held out.

    Args:
        held_out: sentences with their references; those too long for a batch are left out.
        samples: sentences to show translations of.
        vocabularies: between text and tokens.
        max_tokens: padded tokens of a batch.
        longest: tokens of either side at most, its end included; all are taken if not given.
        scores: what translations are measured by.
        extension: words of a source that the vocabulary lacks and that can be copied.
        rule: which words are linked; :class:`Argmax` if not given.

    Raises:
        InputError: all sentences are too long.
    """

    def __init__(
        self,
        held_out: Sequence[HeldOut],
        samples: Sequence[HeldOut],
        vocabularies: Vocabularies,
        *,
        max_tokens: int = 4096,
        longest: int | None = None,
        scores: Sequence[str] = ("bleu", "chrf", "exact"),
        extension: int = 0,
        rule: Rule | None = None,
    ) -> None:
        self.held_out = [one for one in held_out if _fits(one, vocabularies, longest)]
        self.left_out = len(held_out) - len(self.held_out)
        if not self.held_out:
            raise InputError(
                f"validation needs sentences of at most {longest} tokens, all {self.left_out} are "
                "longer; name a file of others for it"
            )
        self.samples = [one for one in samples if _fits(one, vocabularies, longest)]
        self.vocabularies = vocabularies
        self.scores = tuple(scores)
        self.rule = rule or Argmax()
        self.config = BatchConfig(max_tokens=max_tokens, order="by_length")
        self._corpus: Corpus = encode(
            map(_example, self.held_out), vocabularies, extension=extension
        )

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        text = json.dumps([_plain(one) for one in self.held_out])
        return sha256(text.encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        """How many sentences."""
        return len(self.held_out)

    def validate(self, model: nn.Module) -> Validation:
        """All scores of a model, which is left as it was."""
        assert isinstance(model, Seq2Seq)
        translator = Translator(model, self.vocabularies)
        loss, aer = self._read(model)
        texts = [one.text for one in translator.translate([one.source for one in self.held_out])]
        references = [one.references for one in self.held_out]
        scores = {
            "loss": loss,
            "perplexity": math.exp(min(loss, MOST_NATS)),
            **{name: text_score(name, texts, references) for name in self.scores},
            "aer": aer,
        }
        shown = translator.translate([one.source for one in self.samples], aligned=True)
        return Validation(scores, tuple(shown))

    def _read(self, model: Seq2Seq) -> tuple[float, float | None]:
        """Loss, and how far attention is from gold, with the reference as target."""
        nll, tokens = 0.0, 0
        links: dict[int, Links] = {}
        device = device_of(model)
        for batch in Batches(FinitePools(self._corpus), self.config):
            batch = batch.to(device)
            with inference(model):
                decoded = model.decode_parallel(
                    batch.source,
                    batch.source_lengths,
                    batch.target_in,
                    aligned=batch.alignment is not None,
                )
                nll += smoothed_cross_entropy(
                    decoded.features, batch.target_out, model.output, pad=model.config.pad
                ).nll.item()
            tokens += batch.num_targets
            if decoded.weights is not None:
                for number, weights in zip(batch.indices.tolist(), decoded.weights, strict=True):
                    links[number] = self._links(number, weights)
        return nll / tokens, self._error_rate(links)

    def _links(self, number: int, weights: Tensor) -> Links:
        one = self.held_out[number]
        return word_links(
            weights,
            source=side(self.vocabularies.source, one.source, one.source_words),
            target=side(self.vocabularies.target, one.references[0], one.target_words),
            rule=self.rule,
        )

    def _error_rate(self, links: dict[int, Links]) -> float | None:
        known = [number for number in links if self.held_out[number].alignment is not None]
        if not known:
            return None
        gold = [Gold(self.held_out[number].alignment or frozenset()) for number in known]
        return alignment_score([links[number] for number in known], gold).aer


def _fits(one: HeldOut, vocabularies: Vocabularies, longest: int | None) -> bool:
    if longest is None:
        return True
    sides = ((vocabularies.source, one.source), (vocabularies.target, one.references[0]))
    return all(len(tokeniser.encode(text)) < longest for tokeniser, text in sides)


def _plain(one: HeldOut) -> list[object]:
    links = None if one.alignment is None else sorted(one.alignment)
    return [one.source, one.references, links]


def _example(one: HeldOut) -> Example:
    return Example(one.source, one.references[0], one.alignment, one.source_words, one.target_words)
