"""Shapes, heads, layouts and precision of tensors, as the rest of the package needs them."""

from collections.abc import Sequence

import torch
from torch.nn import Parameter

from regard.errors import DtypeError
from regard.kernels.derivatives import transformed
from regard.types import Float, Tensor

_PLAIN = (Tensor, Parameter)


def broadcast_shapes(*shapes: Sequence[int]) -> torch.Size:
    """What :func:`torch.broadcast_shapes` gives, and raises.

    Differs in cost: the first call of torch's own imports a library for symbolic algebra, which
    takes longer than to translate a sentence.
    """
    first, *others = map(tuple, shapes)
    if all(other == first for other in others):
        return torch.Size(first)
    scalar = torch.empty(())
    return torch.broadcast_tensors(*(scalar.expand(shape) for shape in shapes))[0].shape


def broadcasts(own: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether a tensor of shape ``own`` broadcasts to ``wanted`` without enlarging it."""
    pairs = zip(own[::-1], wanted[::-1], strict=False)
    return len(own) <= len(wanted) and all(size in (1, full) for size, full in pairs)


def spread(x: Float[Tensor, "*B G K D"], groups: int) -> Float[Tensor, "*B H K D"]:
    """Each head of keys once for each of the ``groups`` query heads that share it."""
    if groups == 1:
        return x
    return x.unsqueeze(-3).expand(*x.shape[:-2], groups, *x.shape[-2:]).flatten(-4, -3)


def spread_over(query: Float[Tensor, "*B Q D"], x: Float[Tensor, "*C K E"]) -> Tensor:
    """Keys or values with a head for each of the query's, where theirs are fewer but divide them.

    One head is left to broadcasting. Heads are the axis before the positions, behind a batch: with
    three axes that one is the batch, and a batch of other size is a mistake.
    """
    if query.dim() < 4 or x.dim() < 4:
        return x
    heads, own = query.shape[-3], x.shape[-3]
    grouped = 1 < own < heads and heads % own == 0
    return spread(x, heads // own) if grouped else x


def require_padded(owner: object, x: Tensor) -> None:
    """Raise on nested and on sparse tensors; ``owner`` may be a name.

    Raises:
        DtypeError: what to do instead.
    """
    if not x.is_nested and x.layout is torch.strided:
        return
    name = owner if isinstance(owner, str) else type(owner).__name__
    if x.is_nested:
        raise DtypeError(
            f"{name} needs padded tensors, got a nested one; pad it by .to_padded_tensor(0.0), and "
            "pass its lengths as the mask, masks.padding(lengths)"
        )
    raise DtypeError(f"{name} needs dense tensors, got {x.layout}; convert with .to_dense()")


def widened(x: Tensor) -> Tensor:
    """``x`` in at least float32, where scores and weights are computed."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def readable(x: Tensor) -> bool:
    """False while a graph is made of the code, inside ``torch.func``, and for stand-ins."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
        return False
    if transformed() or type(x) not in _PLAIN:
        return False
    kind = x.device.type
    return kind == "cpu" or (
        kind != "meta" and not (kind == "cuda" and torch.cuda.is_current_stream_capturing())
    )
