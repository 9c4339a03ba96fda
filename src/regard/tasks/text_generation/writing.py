"""The loop that goes on with texts, past the end of what a model can look at."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from regard.data.vocabulary import Tokeniser
from regard.decoding import (
    BatchLimit,
    ContinuedPrompts,
    Hypothesis,
    Limits,
    Processor,
    decode,
    stream,
)
from regard.decoding.protocol import StepDecoder
from regard.decoding.search import Strategy
from regard.errors import ChoiceError

MOST_TOKENS = 1_000_000
"""Of a continuation, as of any answer."""


class Wish(NamedTuple):
    """How texts are to go on."""

    strategy: Strategy
    processors: tuple[Processor, ...]
    ends: tuple[int, ...]
    min_tokens: int
    max_tokens: int
    forced_end: bool

    def checked(self) -> "Wish":
        """The same, if it can be.

        Raises:
            ChoiceError: no token at all, or more than anybody waits for.
        """
        if not 1 <= self.max_tokens <= MOST_TOKENS:
            raise ChoiceError(
                f"a continuation may have from 1 to {MOST_TOKENS:,} tokens, got {self.max_tokens}"
            )
        return self


class Writing:
    """Goes on with tokens; where they reach the context, from the last half of it.

    Args:
        writer: what writes.
        tokeniser: which tokens begin and fill up.
        context: tokens that are looked back at.
        bounded: whether the model has no positions behind them.
        forbidden: tokens that are never written.
    """

    def __init__(
        self,
        writer: StepDecoder,
        tokeniser: Tokeniser,
        context: int,
        *,
        bounded: bool,
        forbidden: tuple[int, ...],
    ) -> None:
        self.writer, self.tokeniser, self.context = writer, tokeniser, context
        self.bounded, self.forbidden = bounded, forbidden
        self._prompts = ContinuedPrompts(tokeniser.pad)

    def written(self, prompts: Sequence[list[int]], wish: Wish) -> list[Hypothesis]:
        """The best continuation of each, as often begun anew as it takes."""
        found: list[Hypothesis | None] = [None] * len(prompts)
        going = list(range(len(prompts)))
        while going:
            ids = [
                self._window([*prompts[at], *_tokens(found[at])], len(prompts[at])) for at in going
            ]
            answers = self._decoded(ids, [len(_tokens(found[at])) for at in going], wish)
            for at, answer in zip(going, answers, strict=True):
                before = found[at]
                found[at] = answer if before is None else _joined(before, answer)
            going = [at for at in going if _open(found[at], wish.max_tokens)]
        return [one for one in found if one is not None]

    def as_it_comes(self, prompt: list[int], wish: Wish) -> Iterator[list[int]]:
        """Prompt and continuation after every token."""
        ids, begun, finished = list(prompt), len(prompt), False
        while not finished and len(ids) - begun < wish.max_tokens:
            window, far = self._window(ids, begun), len(ids) - begun
            tokens = stream(
                self.writer,
                window,
                strategy=wish.strategy,
                limits=self._limits(wish, far, len(window)),
                bos=self.tokeniser.bos,
                eos=wish.ends,
                pad=self.tokeniser.pad,
                prompts=self._prompts,
                processors=wish.processors,
            )
            while True:
                try:
                    ids.append(next(tokens))
                except StopIteration as stop:
                    finished = stop.value.finished
                    break
                yield ids

    def _decoded(self, ids: list[list[int]], written: list[int], wish: Wish) -> list[Hypothesis]:
        """Some of the way, those together that have come equally far.

        Where it matters how far they can get, those together that get equally far.
        """
        answers: dict[int, Hypothesis] = {}
        exact = [wish.forced_end or wish.min_tokens > far for far in written]
        kinds = [
            (far, len(own) if asked else 0)
            for own, far, asked in zip(ids, written, exact, strict=True)
        ]
        for far, length in sorted(set(kinds)):
            some = [at for at, own in enumerate(kinds) if own == (far, length)]
            found = decode(
                self.writer,
                [ids[at] for at in some],
                strategy=wish.strategy,
                limits=self._limits(wish, far, length),
                bos=self.tokeniser.bos,
                eos=wish.ends,
                pad=self.tokeniser.pad,
                batch=BatchLimit(tokens=2**20),
                prompts=self._prompts,
                processors=wish.processors,
            )
            answers |= {at: best for at, (best, *_) in zip(some, found, strict=True)}
        return [answers[at] for at in range(len(ids))]

    def _window(self, ids: list[int], begun: int) -> list[int]:
        """What the model goes on from: everything, or the last half of its context."""
        if len(ids) == begun or len(ids) < self.context:
            return ids[-self.context :]
        return ids[-max(1, self.context // 2) :]

    def _limits(self, wish: Wish, written: int, length: int) -> Limits:
        """What is left behind so many tokens, where so many were written already."""
        left = wish.max_tokens - written
        room = self.context - length + 1 if self.bounded else left
        return Limits(
            min_length=min(left, room, max(0, wish.min_tokens - written)),
            max_length=left,
            offset=left,
            ratio=0.0,
            context=self.context if self.bounded else None,
            forced_end=wish.forced_end and left <= room,
            forbidden=self.forbidden,
        )


def _tokens(found: Hypothesis | None) -> tuple[int, ...]:
    return () if found is None else found.tokens


def _open(found: Hypothesis | None, max_tokens: int) -> bool:
    return found is None or (not found.finished and len(found.tokens) < max_tokens)


def _joined(before: Hypothesis, after: Hypothesis) -> Hypothesis:
    """A text that went on."""
    return after._replace(
        tokens=before.tokens + after.tokens,
        score=before.score + after.score,
        log_prob=before.log_prob + after.log_prob,
        log_probs=before.log_probs + after.log_probs,
    )
