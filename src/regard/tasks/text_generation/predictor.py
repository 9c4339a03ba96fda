"""A language model with its codec: prompts in, text out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import torch

from regard.decoding import Ensemble, Hypothesis, Processor, Sample
from regard.decoding.protocol import StepDecoder, device_of, inference
from regard.decoding.search import Strategy
from regard.errors import ChoiceError
from regard.models.language import LanguageModel

from ..described import Described
from . import codec as codecs
from .codec import MISSING, TextCodec
from .sample import Generated, Looks
from .writing import Wish, Writing

USUAL = Sample(temperature=0.8, top_k=40)
LONGEST = 1024
"""Tokens that models without a context of their own look back at, when a text is begun."""


class _Prompt(NamedTuple):
    text: str
    ids: list[int]
    cut: int


class Generator(Described):
    """Goes on with text.

    A prompt that is longer than the model's context is read from its end: ``cut`` counts what was
    not. Where prompt and continuation together reach the context, the model goes on from the last
    half of it, as often as it takes. An empty prompt stands for the beginning of a line.

    Args:
        model: what writes, token by token.
        codec: between text and tokens.
    """

    def __init__(self, model: LanguageModel, codec: TextCodec) -> None:
        self.model, self.codec = model, codec
        self.writer: StepDecoder = model
        self.context = model.config.longest or LONGEST

    def together(self, *others: "Generator") -> "Generator":
        """The same, with others writing along: the mean of their probabilities decides.

        Raises:
            ChoiceError: other vocabularies.
        """
        if any(other.codec.files() != self.codec.files() for other in others):
            raise ChoiceError(
                "language models that write together need the same vocabulary, got others; begin "
                "one from the other by --init-from"
            )
        self.writer = Ensemble([self.writer, *(other.writer for other in others)])
        self.context = min([self.context, *(other.context for other in others)])
        return self

    def about_codec(self) -> dict[str, str]:
        """How many tokens."""
        return {"tokens": f"{len(self.codec.tokeniser):,}"}

    codec_from = staticmethod(codecs.codec_from)

    def __call__(
        self,
        prompts: str | Sequence[str],
        *,
        max_tokens: int = 100,
        min_tokens: int = 0,
        strategy: Strategy = USUAL,
        processors: tuple[Processor, ...] = (),
        ends: tuple[str, ...] = (),
        forced_end: bool = False,
        looks: bool = False,
    ) -> Any:
        """A :class:`Generated` for a prompt, a list of them for several.

        >>> regard.load("run")("Once upon", max_tokens=100).text

        Args:
            prompts: one, or several.
            max_tokens: of a continuation.
            min_tokens: that are written before it may end.
            strategy: how tokens are chosen; drawn at temperature 0.8 from the 40 likeliest if not
                given.
            processors: what changes logits before; see :mod:`regard.decoding.processors`.
            ends: tokens, as text, that end a continuation.
            forced_end: whether the last token is one of them where the model has written none.
            looks: whether to tell where the heads looked in the prompt.

        Raises:
            ChoiceError: an end that is not one token.
        """
        several = [prompts] if isinstance(prompts, str) else list(prompts)
        read = [self._read(prompt) for prompt in several]
        eos = self.ends_of(ends)
        wish = Wish(strategy, processors, eos, min_tokens, max_tokens, forced_end).checked()
        found = self._writing().written([one.ids for one in read], wish)
        texts = [self._told(*each, looks) for each in zip(read, found, strict=True)]
        return texts[0] if isinstance(prompts, str) else texts

    def too_long(self, prompt: str) -> int:
        """Tokens at the beginning of a prompt that are not read."""
        return self._read(prompt).cut

    def predict(self, inputs: Iterable[str], *, looks: bool = False) -> Iterator[Generated]:
        """One text for each prompt, in their order."""
        for prompt in inputs:
            yield self(prompt, looks=looks)

    def stream(
        self,
        prompt: str,
        *,
        max_tokens: int = 100,
        min_tokens: int = 0,
        strategy: Strategy = USUAL,
        processors: tuple[Processor, ...] = (),
        ends: tuple[str, ...] = (),
        forced_end: bool = False,
    ) -> Iterator[str]:
        """The same text piece by piece, as it is written; the prompt is not repeated.

        Raises:
            ChoiceError: a strategy that knows no token before the end, as a beam.
        """
        read = self._read(prompt)
        eos = self.ends_of(ends)
        wish = Wish(strategy, processors, eos, min_tokens, max_tokens, forced_end).checked()
        told = len(self.codec.decode(read.ids))
        for ids in self._writing().as_it_comes(read.ids, wish):
            text = self.codec.decode(ids)
            if not text.endswith(MISSING):  # the rest of a character is still to come
                yield text[told:]
                told = len(text)

    def _writing(self) -> Writing:
        tokeniser = self.codec.tokeniser
        forbidden = self.codec.forbidden
        bounded = self.model.config.longest is not None
        return Writing(self.writer, tokeniser, self.context, bounded=bounded, forbidden=forbidden)

    def _read(self, prompt: str) -> _Prompt:
        ids = [*self.codec.tokeniser.opening, *self.codec.encode(prompt).tolist()]
        cut = max(0, len(ids) - self.context)
        return _Prompt(prompt, ids[cut:] or self.codec.opening, cut)

    def ends_of(self, ends: tuple[str, ...]) -> tuple[int, ...]:
        """The tokens that end a text, beside those that do so by themselves.

        Raises:
            ChoiceError: one that is not one token.
        """
        found = [self.codec.tokens_of(end) for end in ends]
        for end, ids in zip(ends, found, strict=True):
            if not ids:
                raise ChoiceError(
                    f"an end needs to be one token of the model, {end!r} is "
                    f"{len(self.codec.encode(end))}; give one letter or mark of it"
                )
        return (*self.codec.ends, *chain.from_iterable(found))

    def _told(self, prompt: _Prompt, found: Hypothesis, looks: bool) -> Generated:
        before = self.codec.decode(prompt.ids)
        after = self.codec.decode([*prompt.ids, *found.tokens])
        return Generated(
            prompt=prompt.text,
            continuation=after[len(before) :],
            tokens=tuple(self.codec.pieces(found.tokens)),
            log_probs=found.log_probs[: len(found.tokens)],
            log_prob=found.log_prob,
            finished=found.finished,
            cut=prompt.cut,
            looks=self._looks(prompt) if looks else None,
        )

    def _looks(self, prompt: _Prompt) -> Looks | None:
        """Where all heads look in a prompt; ``None`` where a model has none."""
        from regard.lens.capture import attention_modules, capture

        names = [name for name in attention_modules(self.model) if name.endswith("attention")]
        if not names:
            return None
        device = device_of(self.model)
        with inference(self.model), capture(self.model, names) as record:
            self.model.features(torch.tensor([prompt.ids], device=device))
        weights = torch.stack([record[name].weights[0] for name in names])  # (L, H, T, T)
        return Looks(tuple(self.codec.pieces(prompt.ids)), weights.clone())


PREDICTOR = Generator
