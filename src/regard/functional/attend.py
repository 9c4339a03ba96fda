"""Attention: score, mask, normalise, pool."""

from functools import partial

import torch

from regard.mechanism import mechanism
from regard.papers import BAHDANAU_2014, VASWANI_2017
from regard.types import Float, Tensor

from . import masks
from .engine.call import outside_autocast
from .engine.fused import at_once
from .engine.plan import RUN, Path, plan_call, recalled
from .masks import Mask
from .normalisers import Normaliser
from .overheard import HEARERS, overheard
from .scores import ScoreLike


@mechanism(
    "attention without parameters",
    family="pooling",
    equation="softmax(X Xᵀ) X",
    cost="O(N² D)",
    paper=VASWANI_2017,
    call='(x, x, x, score="dot")',
)
@mechanism(
    "global (soft)", equation="c = Σₖ αₖ vₖ over all k", cost="O(Q K D)", paper=BAHDANAU_2014
)
@outside_autocast
def attend(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#G Kk Dk"],
    value: Float[Tensor, "*#G Kv E"],
    *,
    score: ScoreLike = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
    dropout: float = 0.0,
    generator: torch.Generator | None = None,
    path: Path = "auto",
) -> Float[Tensor, "... Q E"]:
    r"""Each query's weighted mean of the values.

    .. math:: c_q = \sum_k \alpha_{qk} v_k, \quad
              \alpha_q = \text{normalise}(\text{mask}(\text{score}(q_q, k_\cdot)))

    Leading axes broadcast. Of four axes or more the one before the positions are heads, and keys
    and values may have fewer than the query, G that divide H: head h looks at theirs of number
    h // (H / G), Ainslie et al. 2023 (https://arxiv.org/abs/2305.13245).

    Memory is linear in Q and K for every choice. A query with no allowed key gets a zero context.
    Weights are computed in at least float32; the context has the dtype of the query. For the
    weights themselves see :func:`regard.weigh`.

    What a query may not see does not reach it, in value and gradient, whatever it holds: NaN,
    infinite or huge. On a GPU, compiled and inside ``torch.func`` that is so for keys which lengths
    or a tensor keep from all queries; a look at the numbers of the others would cost too much.

    Args:
        query: what is looking.
        key: what is looked at.
        value: what is pooled, one per key.
        score: how well a key fits a query; a value of ``regard.scores``, its name, or a function of
            queries (*B, Q, Dq) and keys (*B, K, Dk), see :class:`regard.scores.Function`.
        mask: who may attend to whom, True = may; a value of ``regard.masks``, a boolean tensor, or
            ``"causal"``.
        normalise: how scores become weights; a value of ``regard.normalisers`` or its name.
        dropout: probability with which each weight is dropped.
        generator: where the randomness of dropout comes from.
        path: ``"auto"``, or the one path to take; see :func:`regard.plan`.

    Raises:
        RegardError: anything that does not fit, in one sentence.
    """
    choices = score, mask, normalise, dropout
    if HEARERS:
        names = ("query", "key", "value", "score", "mask", "normalise", "dropout")
        run = partial(_computed, query, key, value, *choices, generator, path)
        return overheard(run, dict(zip(names, (query, key, value, *choices), strict=True)))
    return _computed(query, key, value, *choices, generator, path)


def _computed(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score: ScoreLike,
    mask: Mask | Tensor | str | None,
    normalise: Normaliser | str,
    dropout: float,
    generator: torch.Generator | None = None,
    path: Path = "auto",
) -> Float[Tensor, "... Q E"]:
    """The context by the path that fits."""
    if isinstance(mask, str):
        mask = masks.resolve(mask)
    asked = query, key, value, score, mask, normalise, dropout, path
    signature, known = recalled(*asked)
    if known is None:
        call, chosen = plan_call(*asked, signature)
        return RUN[chosen](call.drawn(generator))
    assert not isinstance(mask, Tensor), "such a call is not remembered"
    if known.factor is not None and generator is None:
        context = at_once(query, key, value, mask, known.factor)
        if context is not None:
            return context
    call = known.call(query, key, value, mask, dropout)
    return RUN[known.path](call.drawn(generator))


unheard = outside_autocast(_computed)
"""What :func:`attend` computes, for modules that tell of it themselves."""
