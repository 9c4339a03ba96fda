"""Models without a number in them, whatever sizes their config asks for.

A config of a few bytes can ask for any amount of memory. Built on torch's ``meta`` device a model
takes none, whatever its sizes, and building ends after so many parts, whatever their number.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_module_registration_hook
from torch.overrides import TorchFunctionMode

from regard.errors import ChoiceError

from .build import build
from .config import ModelConfig

DRAWS: frozenset[Callable[..., Any]] = frozenset(
    {nn.init.kaiming_uniform_, nn.init.normal_, nn.init.uniform_}
)
"""What fills a parameter with random numbers."""
NUMBERS: frozenset[Callable[..., Any]] = frozenset({Tensor.normal_, Tensor.uniform_})
"""What gives random numbers to whoever may look at them: a truncated normal draws until all fit."""


class SkipInitialisation(TorchFunctionMode):
    """Inside, parameters that would be filled with random numbers keep whatever their memory holds,
    and other tensors are zeros.

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
        if func in NUMBERS:
            return args[0].zero_()
        return func(*args, **given)


MAKES: frozenset[Callable[..., Any]] = frozenset(
    {torch.empty, torch.full, torch.ones, torch.rand, torch.randn, torch.tensor, torch.zeros}
)
"""What makes a tensor."""
SPARE = 4
"""Tensors that may be made for each one of a model, at most."""
MODULES = 2
"""Modules that may be put into others for each of these."""


def outline(config: ModelConfig, *, tensors: int) -> nn.Module:
    """The model of a config, without memory.

    Args:
        config: what it is built from.
        tensors: how many it may have; building ends when it is certain that there are more.

    Raises:
        ChoiceError: there are more, or some are larger than any memory.
    """
    try:
        with _counted(SPARE * (1 + tensors)), torch.device("meta"):
            return build(config)
    except Exception:  # sizes beyond 64 bits, a token that no table has: whatever it is, it is this
        raise ChoiceError(
            f"its config asks for another model than one of its {tensors} tensors"
        ) from None


class _ManyError(Exception):
    """More tensors than a model of its size has."""


@contextmanager
def _counted(most: int) -> Iterator[None]:
    """Inside, nothing is drawn, and building ends after so many tensors or modules: layers may be
    many, and some have no tensor at all."""
    here, left = get_ident(), most * MODULES

    def placed(parent: nn.Module, name: str, module: nn.Module | None) -> None:
        nonlocal left
        if get_ident() == here:  # the hook hears of models in other threads, too
            left -= 1
            if left < 0:
                raise _ManyError

    heard = register_module_module_registration_hook(placed)
    try:
        with _Counted(most):
            yield
    finally:
        heard.remove()


class _Counted(SkipInitialisation):
    """Draws nothing, and gives up after so many tensors."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._left = most

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """The function, unless it would draw, or make one tensor too many."""
        self._left -= func in MAKES
        if func in MAKES and self._left < 0:  # others go on: one of them ends ``no_grad``
            raise _ManyError
        return super().__torch_function__(func, types, args, kwargs)
