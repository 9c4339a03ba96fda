"""Which module of a model is running: the innermost one, in this thread."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

from torch import nn


class Running:
    """The modules that are being called, the innermost last."""

    def __init__(self, names: Mapping[nn.Module, str]) -> None:
        self.names = names
        self.stack: list[nn.Module] = []
        self.thread = get_ident()

    @property
    def innermost(self) -> nn.Module | None:
        """The module whose code runs, if one of the model's does."""
        return self.stack[-1] if self.stack else None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nobody runs, as far as anyone is told, inside the block."""
        stack, self.stack = self.stack, []
        try:
            yield
        finally:
            self.stack = stack

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Follow the calls of every module inside the block."""
        with ExitStack() as hooks:
            for module in self.names:
                for handle in (
                    module.register_forward_pre_hook(self._enter),
                    module.register_forward_hook(self._leave, always_call=True),
                ):
                    hooks.callback(handle.remove)
            yield

    def _enter(self, module: nn.Module, args: Any) -> None:
        if self._heard():
            self.stack.append(module)

    def _leave(self, module: nn.Module, args: Any, output: Any) -> None:
        if not self._heard():
            return
        while self.stack and self.stack.pop() is not module:
            pass

    def _heard(self) -> bool:
        return self.thread == get_ident()
