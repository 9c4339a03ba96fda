"""From query, key and value to an explanation, with gradients if they are asked for."""

from collections.abc import Iterator
from dataclasses import replace

import torch

from regard.errors import DtypeError, ShapeError
from regard.functional import masks, normalisers, scores
from regard.functional.engine.call import Call, outside_autocast, prepare
from regard.functional.engine.reference import weights_of
from regard.functional.forms import Tile
from regard.functional.masks import Mask
from regard.functional.normalisers import Normaliser
from regard.functional.scores import Score, ScoreLike
from regard.functional.tensors import broadcast_shapes
from regard.types import Float, Tensor

from .record import Explanation, Step
from .trace import axes, trace_score


@outside_autocast
def explain(
    query: Float[Tensor, "... Dq"],
    key: Float[Tensor, "... Kk Dk"],
    value: Float[Tensor, "... Kv E"] | None = None,
    *,
    score: ScoreLike = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
    gradients: bool | Tensor = False,
) -> Explanation:
    r"""Every step of one attention, as data that prints itself.

    .. math:: c_q = \sum_k \alpha_{qk} v_k, \quad
              \alpha_q = \text{normalise}(\text{mask}(\text{score}(q_q, k_\cdot)))

    The numbers are those of :func:`regard.attend` on its reference path, to the last bit. Meant for
    reading: cost and memory are O(Q K (A + E)), and printing refuses what nobody reads (the data is
    always there).

    Args:
        query: (*B, Q, Dq), or one vector (Dq,); then no step has a query axis.
        key: (*B, K, Dk).
        value: (*B, K, E); ``None`` takes the keys as values.
        score: a score or its name.
        mask: True = may attend; for a single query vector also (K,).
        normalise: a normaliser or its name.
        gradients: ``True`` adds the gradients of the sum of the context; a tensor shaped like the
            context adds those of the sum of context times tensor.

    Raises:
        ShapeError: sizes that do not fit.
        DtypeError: something that is no floating-point tensor.
        ChoiceError: an unknown name.
    """
    _check_tensors(query, key, value)
    single = query.dim() == 1
    rows = query.unsqueeze(-2) if single else query
    mask = _whole_mask(mask, single)
    call = prepare(rows, key, key if value is None else value, score, mask, normalise)
    score, normaliser = scores.resolve(score), normalisers.resolve(normalise)
    with torch.set_grad_enabled(gradients is not False):
        if gradients is not False:
            call = _with_leaves(call, value is None)
        steps = [*_inputs(call, value is None), *_computed(call, score, normaliser)]
        if gradients is not False:
            steps += gradient_steps(steps, _cotangent(gradients, single))
    return Explanation(
        repr(score),
        None if mask is None else repr(masks.resolve(mask)),
        repr(normaliser),
        tuple(_finished(step, query.dtype, single) for step in steps),
    )


def _check_tensors(query: object, key: object, value: object) -> None:
    for what, given in (("query", query), ("key", key), ("value", value)):
        if not isinstance(given, Tensor) and not (what == "value" and given is None):
            raise DtypeError(f"explain needs {what} as a tensor, got {type(given).__name__}")


def _whole_mask(mask: Mask | Tensor | str | None, single: bool) -> Mask | Tensor | str | None:
    if single and isinstance(mask, Tensor) and mask.dim() == 1:
        return mask.unsqueeze(0)
    return mask


def _cotangent(gradients: bool | Tensor, single: bool) -> Tensor | None:
    if not isinstance(gradients, Tensor):
        return None
    return gradients.unsqueeze(-2) if single else gradients


def _with_leaves(call: Call, shared: bool) -> Call:
    """The call on fresh leaves, so that gradients end here; shared values follow the keys."""
    query, key, value = (x.detach().requires_grad_() for x in (call.query, call.key, call.value))
    return call._replace(query=query, key=key, value=key.view_as(key) if shared else value)


def _inputs(call: Call, shared: bool) -> Iterator[Step]:
    note = "No values were given: the values are the keys." if shared else ""
    yield Step("query", "input", "q", "given", axes(call.query, "Q", "D"), call.query)
    yield Step("key", "input", "k", "given", axes(call.key, "K", "D"), call.key)
    equation = "v = k" if shared else "given"
    yield Step("value", "input", "v", equation, axes(call.value, "K", "E"), call.value, note)


def _computed(given: Call, score: Score, normaliser: Normaliser) -> Iterator[Step]:
    """Score, mask, normalise, pool, in at least float32."""
    call = given.widened()
    at = Tile(range(call.num_queries), range(call.num_keys), call.query.device)
    scored = trace_score(score, call.query, call.key)
    yield from scored
    last, equation = scored[-1], normaliser.step
    if call.score is not score:
        last, equation = _logarithm(call, at), f"{equation} = softmax(ln s)"
        yield last
    scores = _tracked(last.tensor)
    if call.mask is not None:
        scores = _with_batch(scores, call)
        yield from _masked(call, replace(last, tensor=scores), at)
    weights = _tracked(weights_of(call, scores, at))
    yield Step("weights", "normalise", "α", equation, axes(weights, "Q", "K"), weights)
    weighted = weights.unsqueeze(-1) * call.value.unsqueeze(-3)
    yield Step("weighted_values", "pool", "αv", "α v", axes(weighted, "Q", "K", "E"), weighted)
    context = weights @ call.value
    yield Step("context", "pool", "c", "c = Σ α v", axes(context, "Q", "E"), context)


def _tracked(tensor: Tensor) -> Tensor:
    """The same tensor; where nothing before it has a gradient, it starts one itself."""
    if torch.is_grad_enabled() and not tensor.requires_grad:
        tensor.requires_grad_()
    return tensor


def _logarithm(call: Call, at: Tile) -> Step:
    """A kernel in proportion is a softmax of its logarithm, which cannot underflow."""
    exponent = call.score.form(call.query, call.key).scores(at)
    equation = "ln s = −½ ‖q − k‖² / w²"
    return Step("log_scores", "score", "ln s", equation, axes(exponent, "Q", "K"), exponent)


def _with_batch(scores: Tensor, call: Call) -> Tensor:
    """A score of positions alone has no batch axes, which a mask may have."""
    leading = broadcast_shapes(call.query.shape[:-2], call.key.shape[:-2], scores.shape[:-2])
    return scores.expand(*leading, *scores.shape[-2:])


def _masked(call: Call, last: Step, at: Tile) -> Iterator[Step]:
    """What a mask takes away leaves a sum as 0 and an exponential as −∞."""
    assert call.mask is not None
    fill = 0.0 if call.normaliser.is_proportion else -torch.inf
    allowed = call.mask.allowed(at, last.tensor.dim())
    allowed = allowed.expand(*allowed.shape[:-2], *last.tensor.shape[-2:])
    yield Step("allowed", "mask", "m", "1: may attend", axes(allowed, "Q", "K"), allowed)
    masked = last.tensor.masked_fill(~allowed, fill)
    equation = f"{last.symbol} → {'−∞' if fill else '0'} where m = 0"
    yield Step("masked_scores", "mask", last.symbol, equation, axes(masked, "Q", "K"), masked)


def _finished(step: Step, dtype: torch.dtype, single: bool) -> Step:
    """Plain data: no graph, results as the inputs came, no query axis for a single vector."""
    tensor = step.tensor.detach()
    if step.name in ("weights", "context"):
        tensor = tensor.to(dtype)
    if not single or "Q" not in step.axes:
        return replace(step, tensor=tensor)
    place = step.axes.index("Q")
    letters = step.axes[:place] + step.axes[place + 1 :]
    return replace(step, tensor=tensor.squeeze(place), axes=letters)


EQUATIONS = {
    "weights": "∂L/∂α = g·v",
    "scores": "∂L/∂s",
    "log_scores": "∂L/∂ln s",
    "query": "∂L/∂q",
    "key": "∂L/∂k",
    "value": "∂L/∂v = Σ α g",
}


def gradient_steps(steps: list[Step], cotangent: Tensor | None) -> list[Step]:
    """One step per gradient of L = Σ g c, after one for g itself.

    Args:
        steps: the forward steps, still attached to leaves that carry gradients.
        cotangent: g, shaped like the context; ``None`` is all ones.

    Raises:
        ShapeError: a cotangent of another shape.
    """
    found = {step.name: step for step in steps}
    if "log_scores" in found:
        del found["scores"]
    context = found["context"]
    given = _output_gradient(cotangent, context.tensor)
    sources = [found[name] for name in EQUATIONS if name in found]
    gradients = torch.autograd.grad(
        context.tensor,
        [step.tensor for step in sources],
        given,
        allow_unused=True,
        materialize_grads=True,
    )
    whole = "the context" if cotangent is None else "g times the context"
    note = f"Gradients are those of L, the sum of {whole}."
    first = Step("gradient_context", "gradient", "g", "g = ∂L/∂c", context.axes, given, note)
    return [first, *map(_gradient_step, sources, gradients)]


def _gradient_step(source: Step, gradient: Tensor) -> Step:
    equation = EQUATIONS[source.name]
    symbol = equation.partition(" =")[0]
    return Step(f"gradient_{source.name}", "gradient", symbol, equation, source.axes, gradient)


def _output_gradient(cotangent: Tensor | None, context: Tensor) -> Tensor:
    if cotangent is None:
        return torch.ones_like(context)
    if cotangent.shape != context.shape:
        raise ShapeError(
            f"gradients needs a tensor shaped like the context, {tuple(context.shape)}, "
            f"got {tuple(cotangent.shape)}"
        )
    return cotangent.detach().to(context)
