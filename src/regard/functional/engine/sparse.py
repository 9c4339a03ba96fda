"""Gradients of a block whose weights are sparse: over the support instead of over all pairs."""

from regard.kernels import support
from regard.kernels.available import numba_available
from regard.types import Float, Tensor

from ..forms import Form, Inner
from ..normalisers import Entmax, Entmax15, Sparsemax
from .task import Task

EntmaxFamily = Sparsemax | Entmax15 | Entmax


def follows_support(
    task: Task, form: Form, pieces: list[Tensor], weights: Float[Tensor, "*B r c"]
) -> bool:
    """Whether :func:`support_gradients` applies to this block, and pays."""
    return (
        isinstance(task.normaliser, EntmaxFamily)
        and not isinstance(task.normaliser.alpha, Tensor)
        and task.normaliser.alpha <= 2
        and isinstance(form, Inner)
        and form.key_bias is None
        and not task.dropout
        and weights.device.type == "cpu"
        and weights.numel() > 0
        and all(x.shape[:-2] == weights.shape[:-2] for x in pieces)
        and numba_available()
        and support.is_sparse(weights)
    )


def support_gradients(
    task: Task, form: Form, pieces: list[Tensor], weights: Tensor, gradient: Tensor
) -> list[Tensor | None]:
    """Gradients of value, query and key of one block, from its weights."""
    assert isinstance(task.normaliser, EntmaxFamily) and isinstance(form, Inner)
    alpha = task.normaliser.alpha
    assert not isinstance(alpha, Tensor)
    value, query, key = (_batched(x) for x in pieces)
    found = support.support_backward(
        _batched(weights),
        query,
        key,
        value,
        _batched(gradient),
        alpha=alpha,
        scale=form.scale,
    )
    parts = (found.value, found.query, found.key)
    return [part.view(x.shape) for part, x in zip(parts, pieces, strict=True)]


def _batched(x: Tensor) -> Float[Tensor, "G n m"]:
    return x.reshape(-1, *x.shape[-2:])
