"""Every step of one query: the numbers behind one row of a map."""

import torch

from regard.errors import ChoiceError, RangeError
from regard.functional import masks
from regard.functional.scores import Bias, PositionTerm, Score, Sum
from regard.functional.tensors import spread_over
from regard.types import Float, Tensor

from ..explain import Explanation, explain
from ..record import Record
from .choosing import chosen


def steps(
    record: Record,
    *,
    module: str | None = None,
    layer: int = -1,
    head: int = 0,
    word: int = 0,
    batch: int = 0,
    force: bool = False,
) -> Explanation:
    """One query of one head, number by number: vectors, scores, mask, weights, context.

    Args:
        record: of a capture.
        module: a part of the name of the modules that are meant.
        layer: counted from 0, or from the last backwards.
        head: which head of it.
        word: which query, counted from 0.
        batch: which element of the batch.
        force: whether to show what is not verified, too.

    Raises:
        ChoiceError: the module told its weights alone.
        RangeError: there is no such query or head.
    """
    [look] = chosen(record, cross=True, module=module, layer=layer)
    if not look.scored:
        raise ChoiceError(f"{look.name!r} told its weights alone; there are no steps to show")
    for what, number, size in (("query", word, look.num_queries), ("head", head, look.num_heads)):
        if size is not None and not 0 <= number < size:
            raise RangeError(
                f"{look.name!r} has {size} of these, counted from 0, got {what} {number}"
            )
    look.weigh([word], force=force)
    at = {2: (), 3: (batch,)}.get(len(look.shape), (batch, head))
    row = _of(look.query, at)[[word]]  # (1, D)
    key = _of(spread_over(look.query, look.key), at)
    value = None if look.value is None else _of(spread_over(look.query, look.value), at)
    score = _of_row(look.score, row, key, look.scores([word])[at])
    allowed, normalise = look.allowed([word])[at], look.normalise
    if len(at) > 1:
        normalise = normalise.of_heads(torch.tensor([head]))
    return explain(row, key, value, score=score, mask=masks.dense(allowed), normalise=normalise)


def _of(x: Tensor, at: tuple[int, ...]) -> Float[Tensor, "N D"]:
    """The vectors of one head of one sentence; axes of size 1 stand for all."""
    own = x.shape[:-2]
    places = at[len(at) - len(own) :] if own else ()
    return x[tuple(i if n > 1 else 0 for i, n in zip(places, own, strict=True))]


def _of_row(
    score: Score, row: Float[Tensor, "1 D"], key: Float[Tensor, "K D"], found: Float[Tensor, "1 K"]
) -> Score:
    """The score of one row: what looks at content, plus the numbers that positions add here."""
    terms = score.terms if isinstance(score, Sum) else (score,)
    content = [term for term in terms if not isinstance(term, PositionTerm)]
    if len(content) == len(terms):
        return score
    of_content = content[0] if len(content) == 1 else Sum(tuple(content))
    return of_content + Bias(found - of_content(row, key).to(found))
