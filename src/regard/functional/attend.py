"""Attention: score, mask, normalise, pool."""

import torch

from regard.types import Float, Tensor

from .engine.autocast import outside_autocast
from .engine.plan import RUN, Path
from .engine.settle import settle
from .masks import Mask
from .normalisers import Normaliser
from .scores import Score


@outside_autocast
def attend(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#B Kk Dk"],
    value: Float[Tensor, "*#B Kv E"],
    *,
    score: Score | str = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
    dropout: float = 0.0,
    generator: torch.Generator | None = None,
    path: Path = "auto",
) -> Float[Tensor, "*B Q E"]:
    r"""Each query's weighted mean of the values.

    .. math:: c_q = \sum_k \alpha_{qk} v_k, \quad
              \alpha_q = \text{normalise}(\text{mask}(\text{score}(q_q, k_\cdot)))

    Leading axes broadcast. Memory is linear in Q and K for every choice. A query with no allowed
    key gets a zero context. Weights are computed in at least float32; the context has the dtype of
    the query. For the weights themselves see :func:`regard.weigh`.

    Args:
        query: what is looking.
        key: what is looked at.
        value: what is pooled, one per key.
        score: how well a key fits a query; a value of ``regard.scores`` or its name.
        mask: who may attend to whom, True = may; a value of ``regard.masks``, a boolean tensor, or
            ``"causal"``.
        normalise: how scores become weights; a value of ``regard.normalisers`` or its name.
        dropout: probability with which each weight is dropped.
        generator: where the randomness of dropout comes from.
        path: ``"auto"``, or the one path to take; see :func:`regard.plan`.

    Raises:
        RegardError: anything that does not fit, in one sentence.
    """
    task, chosen = settle(query, key, value, score, mask, normalise, dropout, path)
    return RUN[chosen](task.drawn(generator))
