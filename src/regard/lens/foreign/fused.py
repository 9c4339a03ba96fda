"""Attention that calls torch's own functions: seen while they are called, in this thread.

timm, torchvision, x-transformers, Falcon, ``nn.MultiheadAttention`` and ``nn.Transformer`` do.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from threading import local
from typing import Any

import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.overrides import TorchFunctionMode

from regard.functional import masks
from regard.functional.asked import Asked, edited
from regard.functional.events import Kind
from regard.functional.scores import ScaledDot
from regard.types import Float, Tensor

from .additive import mask_and_score
from .event import freed, kept, kind_by_name
from .kinds import door_of
from .listener import Listener, told
from .multi_head import through
from .stack import Running


@dataclass(frozen=True, eq=False)
class FusedCall:
    """A call of :func:`torch.nn.functional.scaled_dot_product_attention`, or what equals one.

    Args:
        module: whose code called.
        name: of it in the model.
        query: (*B, Q, D).
        key: (*B, K, D), maybe with fewer heads.
        value: (*B, K, E).
        mask: boolean or additive.
        causal: whether no query looks ahead, aligned at the upper left.
        scale: what products are multiplied with; one over the root of the width if not given.
        dropout: the probability weights are dropped with.
    """

    module: nn.Module
    name: str
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None = None
    causal: bool = False
    scale: float | None = None
    dropout: float = 0.0

    @property
    def kind(self) -> Kind:
        """By the names; between sequences of different lengths it is cross attention."""
        alike = self.query.shape[-2] == self.key.shape[-2]
        return kind_by_name(self.module, self.name) if alike else "cross"

    def free(self) -> "FusedCall":
        """The same with tensors that hold no graph."""
        query, key, value = kept(self.query), kept(self.key), kept(self.value)
        return replace(self, query=query, key=key, value=value, mask=freed(self.mask))

    def laid_out(self, x: Tensor) -> Float[Tensor, "*B Q E"]:
        """The kernel's output is laid out as ours."""
        return x.reshape(*self.query.shape[:-1], x.shape[-1])

    def asked(self) -> Asked:
        """The same attention by our values."""
        mask, score = mask_and_score(self.mask, ScaledDot(self.scale))
        if self.causal:
            mask = masks.causal() if mask is None else masks.causal() & mask
        return Asked(
            self.query,
            self.key,
            self.value,
            score,
            mask,
            dropout=self.dropout,
            kind=self.kind,
            training=self.module.training,
        )


class Fused(TorchFunctionMode):
    """Hears the kernel, and the function behind ``nn.MultiheadAttention``, for all who listen.

    One of a thread serves all its blocks: what one of them edits, the others are told.
    """

    def __init__(self) -> None:
        super().__init__()
        self.served: list[tuple[Listener, Running]] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is F.scaled_dot_product_attention and (module := self._running()) is not None:
            return self.kernel(module, *args, **kwargs)
        if func is F.multi_head_attention_forward and (module := self._running()) is not None:
            return through(self, module, args, kwargs)
        return func(*args, **kwargs)

    def _running(self) -> nn.Module | None:
        """The module whose code runs, if it is heard here and does not tell in another way."""
        for listener, running in self.served:
            module = running.innermost
            if module is not None and listener.hears(module):
                return None if door_of(module) in ("ours", "interface") else module
        return None

    def kernel(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        """The kernel, heard."""
        vectors = query, key, value
        call = FusedCall(
            module, self.name_of(module), *vectors, attn_mask, is_causal, scale, dropout_p
        )

        def run() -> Tensor:
            return F.scaled_dot_product_attention(
                *vectors, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
            )

        return self.answered(call, run)

    def name_of(self, module: nn.Module) -> str:
        """What the module is called in its model."""
        return next(one.names[module] for one, _ in self.served if module in one.names)

    def answered(self, call: FusedCall, run: Callable[[], Tensor]) -> Tensor:
        """What comes out of a call after all edits; whoever watches is told."""
        heard = [one for one, _ in self.served if one.hears(call.module)]
        edits = [edit for one in heard for edit in one.edits(one.names[call.module])]
        if edits:
            output = edited(edits, call.asked(), lambda: call.laid_out(run()))
            output = output.to(call.query.dtype)
        else:
            output = run()
        told(heard, call.module, call, output)
        return output


class _Own(local):
    """What serves this thread."""

    mode: Fused | None = None


_OWN = _Own()


@contextmanager
def overhearing(listener: Listener, every: Mapping[nn.Module, str]) -> Iterator[Running]:
    """Hear what the modules of a listener, among these, call of torch inside the block."""
    running, serving = Running(every), _OWN.mode
    mode = Fused() if serving is None else serving
    with running.followed(), mode if serving is None else nullcontext():
        _OWN.mode = mode
        mode.served.append((listener, running))
        try:
            yield running
        finally:
            mode.served.remove((listener, running))
            _OWN.mode = mode if mode.served else None
