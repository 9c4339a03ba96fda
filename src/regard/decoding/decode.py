"""From sources to hypotheses, through any model and any strategy."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .batches import BatchLimit, Prompts, Sources, TokenPrompts, begun, windows
from .greedy import Greedy
from .hypothesis import Hypothesis
from .processors import Processor
from .protocol import Steady, StepDecoder, device_of, inference
from .rules import Limits, Rules
from .run import Run
from .search import Search, Strategy

GREEDY, LIMITS, BATCH = Greedy(), Limits(), BatchLimit()


def decode(
    model: StepDecoder,
    sources: Sequence[Any],
    *,
    strategy: Strategy = GREEDY,
    limits: Limits = LIMITS,
    bos: int = 2,
    eos: int | tuple[int, ...] = 3,
    pad: int = 0,
    batch: BatchLimit = BATCH,
    prompts: Prompts | None = None,
    processors: tuple[Processor, ...] = (),
    aligned: bool = False,
) -> list[list[Hypothesis]]:
    """Answers to all sources, in their order; of each source the best first.

    >>> best = decode(model, [[14, 7, 3], [9, 3]], strategy=Beam(size=5))[0][0]
    >>> best.tokens, best.score

    A source gets the same answer alone and among others, up to rounding. The model is asked with
    nothing dropped and without gradients, and left in the mode it was in.

    Args:
        model: what writes.
        sources: token numbers, ending as the model was trained; or what ``prompts`` take.
        strategy: :class:`Greedy`, :class:`Beam` or :class:`Sample`.
        limits: how long an answer may become, and what it may not contain.
        bos: token that begins a sentence; it is never written.
        eos: token that ends a sentence, or several of them; none, and only the limit does.
        pad: token that fills up short sources; it is never written.
        batch: how much is decoded at once.
        prompts: how sources become what the model starts from; lists of tokens, filled up with
            ``pad``, if not given. See :class:`FeaturePrompts` and :class:`ContinuedPrompts`.
        processors: what changes logits before a token is chosen, one after the other; see
            :mod:`regard.decoding.processors`.
        aligned: whether hypotheses have ``weights``.

    Raises:
        RangeError: a source without tokens, a token that the model does not have, or logits that
            are no numbers.
    """
    answers: list[list[Hypothesis]] = [[] for _ in sources]
    for number, found in decode_iter(
        model,
        sources,
        strategy=strategy,
        limits=limits,
        bos=bos,
        eos=eos,
        pad=pad,
        batch=batch,
        prompts=prompts,
        processors=processors,
        aligned=aligned,
    ):
        answers[number] = found
    return answers


def decode_iter(
    model: StepDecoder,
    sources: Iterable[Any],
    *,
    strategy: Strategy = GREEDY,
    limits: Limits = LIMITS,
    bos: int = 2,
    eos: int | tuple[int, ...] = 3,
    pad: int = 0,
    batch: BatchLimit = BATCH,
    prompts: Prompts | None = None,
    processors: tuple[Processor, ...] = (),
    aligned: bool = False,
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Answers as they are found: the number of the source, and its hypotheses.

    As :func:`decode`. Sources may come from anywhere and need never end; ``batch.ahead`` of them
    are read before the first is answered. Between answers the model is as it was; its parameters
    may not be changed before the last.
    """
    quiet = inference(model)
    for run in runs(
        model,
        sources,
        strategy=strategy,
        limits=limits,
        bos=bos,
        eos=eos,
        pad=pad,
        batch=batch,
        prompts=prompts,
        processors=processors,
        aligned=aligned,
    ):
        while not run.over:
            with quiet:
                done = run.until_some_are_done()
            for number, found in done:
                yield number, [_own(hypothesis) for hypothesis in found]


def runs(
    model: StepDecoder,
    sources: Iterable[Any],
    *,
    strategy: Strategy,
    limits: Limits,
    bos: int,
    eos: int | tuple[int, ...],
    pad: int,
    batch: BatchLimit,
    prompts: Prompts | None,
    processors: tuple[Processor, ...],
    aligned: bool,
) -> Iterator[Run]:
    """The loops that answer all sources, one for each window of them; see :func:`decode`."""
    ends = (eos,) if isinstance(eos, int) else tuple(eos)
    never = tuple(sorted({bos, pad, *limits.forbidden} - set(ends)))
    prompts = TokenPrompts(pad) if prompts is None else prompts
    writer = model.steady() if isinstance(model, Steady) else model

    def begin(some: Sources) -> Search:
        return strategy.search(
            some,
            Rules(
                eos=ends,
                forbidden=never,
                min_length=limits.min_length,
                longest=np.array([limits.longest(length) for length in some.lengths]),
                source_lengths=some.lengths,
                processors=processors,
                begun=[begun(some.prompts, source) for source in some.values],
                forced_end=limits.forced_end,
            ),
        )

    device = device_of(model)
    for pending in windows(sources, batch, rows=strategy.rows, prompts=prompts, device=device):
        asks = aligned or strategy.looks
        yield Run(writer, pending, begin, width=strategy.width, bos=bos, asks=asks)


def _own(hypothesis: Hypothesis) -> Hypothesis:
    """With weights that may be used for anything, gradients too."""
    weights = hypothesis.weights
    return hypothesis if weights is None else hypothesis._replace(weights=weights.clone())
