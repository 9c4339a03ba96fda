"""Streaming: tokens as they are written."""

from collections.abc import Generator
from typing import Any

from regard.errors import ChoiceError

from .batches import Prompts
from .decode import BATCH, GREEDY, LIMITS, runs
from .hypothesis import Hypothesis
from .processors import Processor
from .protocol import StepDecoder, inference
from .rules import Limits
from .search import Strategy


def stream(
    model: StepDecoder,
    source: Any,
    *,
    strategy: Strategy = GREEDY,
    limits: Limits = LIMITS,
    bos: int = 2,
    eos: int | tuple[int, ...] = 3,
    pad: int = 0,
    prompts: Prompts | None = None,
    processors: tuple[Processor, ...] = (),
) -> Generator[int, None, Hypothesis]:
    """The tokens of one answer, each as soon as it is chosen; the same as :func:`decode` gives.

    The generator returns the hypothesis.

    Raises:
        ChoiceError: a strategy with several rows, which knows no token for certain before the end.
    """
    if strategy.rows != 1:
        raise ChoiceError(
            "a stream needs a strategy that decides token by token, Greedy or Sample(n=1), got "
            f"{strategy!r}"
        )
    quiet, count = inference(model), 0
    [run] = runs(
        model,
        [source],
        strategy=strategy,
        limits=limits,
        bos=bos,
        eos=eos,
        pad=pad,
        batch=BATCH,
        prompts=prompts,
        processors=processors,
        aligned=False,
    )
    while True:
        with quiet:
            done = run.one_step()
        if done:
            [(_, [answer, *_])] = done
            yield from answer.tokens[count:]
            return answer
        count += 1
        yield int(run.written[0])
