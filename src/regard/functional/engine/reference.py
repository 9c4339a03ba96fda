"""The definition of truth: score, mask, normalise, pool, on the whole map."""

from regard.types import Float, Int, Tensor

from ..broadcast import broadcast_shapes
from ..forms import At, take_heads
from ..randomness import dropped
from .task import Task


def weights_of(
    task: Task,
    scores: Float[Tensor, "*B r c"],
    at: At,
    *,
    masked: bool = True,
    heads: Int[Tensor, " h"] | None = None,
) -> Float[Tensor, "*C r c"]:
    """Mask and normalise complete rows of scores, then drop.

    Args:
        task: the choices.
        scores: of the rows at ``at``, against every column they may see.
        at: where they lie.
        masked: ``False`` spares a look at the mask where all these pairs are known to be allowed.
        heads: which heads the scores belong to; ``None`` is all.
    """
    normaliser = task.normaliser if heads is None else task.normaliser.of_heads(heads)
    if task.mask is None or not masked:
        weights = normaliser(scores, None, at)
    else:
        allowed = task.mask.allowed(at, axes=len(task.leading) + 2)
        if heads is not None:
            allowed = take_heads(allowed, heads)
        scores = _for_each(scores, allowed)
        covered = task.mask.covers(task.num_queries, task.num_keys)
        normalise = normaliser.covered if covered else normaliser
        weights = normalise(scores, allowed, at)
    return dropped(weights, task.dropout, task.seed, at) if task.dropout else weights


def reference(task: Task) -> Float[Tensor, "*B Q E"]:
    """The context, from a dense map of weights. Differentiable as often as you like."""
    dtype, task = task.query.dtype, task.widened()
    at = At(range(task.num_queries), range(task.num_keys), task.query.device)
    scores = task.score.form(task.query, task.key).scores(at)
    return (weights_of(task, scores, at) @ task.value).to(dtype)


def _for_each(scores: Tensor, allowed: Tensor) -> Tensor:
    """The scores once for each element of the mask's batch, which scores of positions lack."""
    leading, wanted = scores.shape[:-2], allowed.shape[:-2]
    if len(leading) >= len(wanted) and all(
        size in (1, own) for own, size in zip(leading[::-1], wanted[::-1], strict=False)
    ):
        return scores
    return scores.expand(*broadcast_shapes(leading, wanted), *scores.shape[-2:])
