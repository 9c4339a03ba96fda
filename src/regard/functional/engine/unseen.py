"""Keeps NaN, infinite and huge keys or values that are masked out of contexts and gradients.

A mask makes a weight zero, but zero times NaN is NaN, in the context and in every gradient that
passes by. So where a key or a value is no ordinary number, the attention is computed a second time
with zeros in its place, and only queries that may see it are answered with it.
"""

from collections.abc import Callable
from functools import wraps
from math import isfinite, prod
from typing import Any, NamedTuple

import torch

from regard.kernels.derivatives import apply
from regard.types import Bool, Float, Int, Tensor

from ..forms import Tile, take_heads
from ..masks import Mask
from ..tensors import readable
from .call import Call
from .stream import row_blocks

LARGEST = 1e18
"""What is larger counts as no number: squares overflow, and zero times infinity is NaN, too."""

_WIDE = {torch.float16: torch.float32}
"""Sums of float16 overflow, all others are told in their own dtype."""

FEW = 2**12
"""Numbers that are sooner added up than told apart."""

Run = Callable[[Call], Tensor]


def mask_safe(run: Run) -> Run:
    """``run``, whose context does not depend on what no query may see.

    What is checked costs little: the context, or keys and values where a gradient will be asked
    for. Where nothing can be checked (on a GPU that would be waited for, in a graph that is
    compiled, inside ``torch.func``) keys that nobody may see are zeros from the start.
    """

    @wraps(run)
    def safe(call: Call) -> Float[Tensor, "*B Q E"]:
        if call.mask is None:
            return run(call)
        if not can_check(call):
            return run(_without_unreached(call))
        if call.needs_grad and _is_ordinary(call):  # first: what is read here is in the cache then
            return run(call)
        context = run(call)
        if context.requires_grad:
            fine = _is_ordinary(call)
        else:
            causal = call.mask.is_causal and call.normaliser.is_softmax
            fine = finite(telling(context, causal=causal))
        return context if fine else _with_shadow(run, call, context)

    return safe


def can_check(call: Call) -> bool:
    """Whether a look at the numbers is possible, and cheap."""
    return _is_checked(call.key)


def finite(x: Tensor) -> bool:
    """Whether all numbers are finite, and so is their sum: the cheapest way to know."""
    return isfinite(x.sum(dtype=_WIDE.get(x.dtype)).item())


def telling(context: Float[Tensor, "*B Q E"], *, causal: bool) -> Tensor:
    """The rows in which anything strange that was computed with must show.

    The last query of a causal softmax sees all that any other sees: what spoils one spoils it too.
    """
    return context[..., -1, :] if causal and context.numel() > FEW else context


def ordinary(x: Tensor) -> bool:
    """Whether all numbers are finite and not too large to be squared."""
    x = x.detach()
    if x.dtype in (torch.float32, torch.float64) and x.is_contiguous():
        flat = x.view(-1)
        return torch.dot(flat, flat).item() <= LARGEST**2  # on all threads, as a norm is not
    return torch.linalg.vector_norm(x, dtype=_WIDE.get(x.dtype)).item() <= LARGEST


def _is_ordinary(call: Call) -> bool:
    return ordinary(call.key) and ordinary(call.value)


class Shadow(NamedTuple):
    """A call with zeros in place of the keys and values that are out of the ordinary."""

    call: Call
    strange: Bool[Tensor, "*#B 1 K"]

    @classmethod
    def of(cls, call: Call) -> "Shadow":
        """The shadow of a call."""
        key, value = strange(call.key), strange(call.value)
        zeros = call.key.masked_fill(key, 0), call.value.masked_fill(value, 0)
        return cls(call._replace(key=zeros[0], value=zeros[1]), (key | value).mT)

    def seen(
        self, at: Tile, heads: Int[Tensor, " h"] | None = None, *, masked: bool = True
    ) -> Bool[Tensor, "*#B #r 1"]:
        """The rows of a tile that may see one of them."""
        assert self.call.mask is not None
        (columns,) = at.take_columns((self.strange.mT,))
        allowed = self.call.mask.allowed(at, axes=len(self.call.leading) + 2)
        strange = columns.mT
        if heads is not None:
            strange, allowed = take_heads(strange, heads), take_heads(allowed, heads)
        return (strange & allowed if masked else strange).any(-1, keepdim=True)


def merge_rows(clean: Tensor, plain: Tensor, seen: Tensor) -> Tensor:
    """``plain`` in the rows that see something out of the ordinary, ``clean`` in all others.

    The gradient of what sees no number is no number; where nobody asks for it, all others are as
    if those rows were not there.
    """
    return apply(_MergeRows, clean, plain.detach(), seen)


class _MergeRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, clean: Tensor, plain: Tensor, seen: Tensor) -> Tensor:
        ctx.save_for_backward(seen)
        return torch.where(seen, plain, clean)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (seen,) = ctx.saved_tensors
        return gradient.masked_fill(seen & (gradient != 0), torch.nan), None, None


def _with_shadow(run: Run, call: Call, plain: Tensor) -> Tensor:
    shadow = Shadow.of(call)
    if not bool(shadow.strange.any()):
        return plain
    clean, seen = run(shadow.call), []
    batch = prod(call.leading)
    for block in row_blocks(call.mask, call.num_queries, call.num_keys, batch, call.query.device):
        at = Tile(block.rows, block.columns, call.query.device)
        own = shadow.seen(at, masked=block.masked)
        seen.append(own.expand(*call.leading, len(block.rows), 1))
    return merge_rows(clean, plain, torch.cat(seen, dim=-2))


def strange(vectors: Float[Tensor, "*B K D"]) -> Bool[Tensor, "*B K 1"]:
    """The vectors that hold anything else than ordinary numbers."""
    return ~(vectors.detach().abs() <= LARGEST).all(-1, keepdim=True)


def _without_unreached(call: Call) -> Call:
    axes = len(call.leading) + 2
    key, value = (_reached(x, call.mask, axes) for x in (call.key, call.value))
    return call._replace(key=key, value=value)


def unseen_zeroed(vectors: Float[Tensor, "*B K D"], mask: Mask | None) -> Float[Tensor, "*B K D"]:
    """Vectors that are pooled more than once, with zeros for those nobody may look at.

    As they are if all of them are ordinary numbers.
    """
    if mask is None or (_is_checked(vectors) and ordinary(vectors)):
        return vectors
    return _reached(vectors, mask, vectors.dim())


def tamed(x: Float[Tensor, "*B D"], real: Bool[Tensor, "*#B #D"]) -> Float[Tensor, "*B D"]:
    """Numbers with zeros for those out of the ordinary where nothing real stands.

    What nobody reads has the gradient 0, and 0 times NaN or ∞ is NaN in the gradient of all that
    multiplied it: of weights, and of what is real.
    """
    if _is_checked(x) and ordinary(x):
        return x
    return x.masked_fill(~(real | (x.abs() <= min(LARGEST, torch.finfo(x.dtype).max))), 0)


def _reached(vectors: Tensor, mask: Mask | None, axes: int) -> Tensor:
    """Zeros in place of what nobody may see."""
    assert mask is not None
    at = Tile(range(1), range(vectors.shape[-2]), vectors.device)
    reached = mask.reached(at, axes)
    return vectors if reached is None else torch.where(reached.mT, vectors, 0)


def _is_checked(x: Tensor) -> bool:
    return x.is_cpu and readable(x)
