"""The definition of truth: score, mask, normalise, pool, on the whole map."""

from regard.types import Float, Int, Tensor

from ..forms import Tile, take_heads
from ..randomness import dropped
from ..tensors import broadcast_shapes
from .call import Call


def weights_of(
    call: Call,
    scores: Float[Tensor, "*B r c"],
    at: Tile,
    *,
    masked: bool = True,
    heads: Int[Tensor, " h"] | None = None,
) -> Float[Tensor, "*C r c"]:
    """Mask and normalise complete rows of scores, then drop.

    Args:
        call: the choices.
        scores: of the rows at ``at``, against every column they may see.
        at: where they lie.
        masked: ``False`` spares a look at the mask where all these pairs are known to be allowed.
        heads: which heads the scores belong to; ``None`` is all.
    """
    normaliser = call.normaliser if heads is None else call.normaliser.of_heads(heads)
    if call.mask is None or not masked:
        weights = normaliser(scores, None, at)
    else:
        allowed = call.mask.allowed(at, axes=len(call.leading) + 2)
        if heads is not None:
            allowed = take_heads(allowed, heads)
        scores = _for_each(scores, allowed)
        covered = call.mask.covers(call.num_queries, call.num_keys)
        normalise = normaliser.covered if covered else normaliser
        weights = normalise(scores, allowed, at)
    return dropped(weights, call.dropout, call.seed, at) if call.dropout else weights


def reference(call: Call) -> Float[Tensor, "*B Q E"]:
    """The context, from a dense map of weights. Differentiable as often as you like."""
    dtype, call = call.query.dtype, call.widened()
    at = Tile(range(call.num_queries), range(call.num_keys), call.query.device)
    scores = call.score.form(call.query, call.key).scores(at)
    return (weights_of(call, scores, at) @ call.value).to(dtype)


def _for_each(scores: Tensor, allowed: Tensor) -> Tensor:
    """The scores once for each element of the mask's batch, which scores of positions lack."""
    leading, wanted = scores.shape[:-2], allowed.shape[:-2]
    if len(leading) >= len(wanted) and all(
        size in (1, own) for own, size in zip(leading[::-1], wanted[::-1], strict=False)
    ):
        return scores
    return scores.expand(*broadcast_shapes(leading, wanted), *scores.shape[-2:])
