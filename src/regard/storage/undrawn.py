"""Models whose parameters are about to be loaded, made without drawing any."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

DRAWS: frozenset[Callable[..., Any]] = frozenset(
    {
        Tensor.normal_,
        Tensor.uniform_,
        nn.init.kaiming_uniform_,
        nn.init.normal_,
        nn.init.uniform_,
    }
)
"""What fills a tensor with random numbers."""


class Undrawn(TorchFunctionMode):
    """Inside, tensors that would be filled with random numbers keep whatever their memory holds.

    Takes no number from any generator, and less time than drawing millions only to replace them.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """The function, unless it would draw."""
        given = dict(kwargs or {})
        if func in DRAWS:
            return args[0] if args else given["tensor"]
        return func(*args, **given)
