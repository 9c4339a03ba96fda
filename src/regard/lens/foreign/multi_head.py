"""``nn.MultiheadAttention``: the very function of torch, its products heard.

Its body is run as it is, with other names bound to the kernel and to the two products that it uses
where weights are asked for; so it computes what it always computes, bit for bit.
"""

import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from regard.types import Tensor

if TYPE_CHECKING:
    from .fused import Fused


def through(mode: "Fused", module: nn.Module, args: tuple[Any, ...], kwargs: Any) -> Any:
    """:func:`torch.nn.functional.multi_head_attention_forward`, heard."""
    plain = F.multi_head_attention_forward
    bound = inspect.signature(plain).bind(*args, **kwargs).arguments
    heard = _Heard(
        mode, module, bound["num_heads"], bound.get("training", True) * bound["dropout_p"]
    )
    names = {
        **plain.__globals__,
        "has_torch_function": lambda tensors: False,
        "scaled_dot_product_attention": heard.kernel,
        "torch": _Torch(heard),
    }
    twin = FunctionType(plain.__code__, names, plain.__name__, plain.__defaults__)
    twin.__kwdefaults__ = plain.__kwdefaults__
    return twin(*args, **kwargs)


class _Torch:
    """Torch, with the two products that weights are made and used by."""

    def __init__(self, heard: "_Heard") -> None:
        self.bmm, self.baddbmm = heard.bmm, heard.baddbmm

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


class _Heard:
    """What one call of the function multiplies."""

    def __init__(self, mode: "Fused", module: nn.Module, heads: int, dropout: float) -> None:
        self.mode, self.module, self.heads, self.dropout = mode, module, heads, dropout
        self.sides: tuple[Tensor, Tensor, Tensor | None] | None = None

    def kernel(self, *args: Any, **kwargs: Any) -> Tensor:
        """The fused kernel."""
        return self.mode.kernel(self.module, *args, **kwargs)

    def baddbmm(self, mask: Tensor, query: Tensor, key: Tensor) -> Tensor:
        """Scores with an additive mask; the query is scaled already."""
        self.sides = query, key.mT, mask
        return torch.baddbmm(mask, query, key)

    def bmm(self, left: Tensor, right: Tensor) -> Tensor:
        """First the scores of a query with keys, then the product of weights with values."""
        if self.sides is None:
            self.sides = left, right.mT, None
            return torch.bmm(left, right)
        from .fused import FusedCall

        query, key, mask = self.sides
        call = FusedCall(
            self.module,
            self.mode.name_of(self.module),
            self._in_heads(query),
            self._in_heads(key),
            self._in_heads(right),
            mask if mask is None or len(mask) == 1 else self._in_heads(mask),
            scale=1.0,
            dropout=self.dropout,
        )
        return self.mode.answered(call, lambda: torch.bmm(left, right)).flatten(0, -3)

    def _in_heads(self, x: Tensor) -> Tensor:
        """(B · H, N, D) as (B, H, N, D)."""
        return x.unflatten(0, (-1, self.heads))
