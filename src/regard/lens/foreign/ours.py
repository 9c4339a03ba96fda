"""Calls of :func:`regard.attend` in modules that are not ours."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch import nn

from regard.functional.asked import Asked, edited
from regard.functional.events import Kind, held
from regard.functional.overheard import HEARERS
from regard.types import Float, Tensor

from .event import kind_by_name
from .kinds import door_of
from .listener import Listener, told
from .stack import Running


@dataclass(frozen=True, eq=False)
class OwnCall:
    """What a module handed to :func:`regard.attend`."""

    module: nn.Module
    name: str
    given: dict[str, Any]

    @property
    def query(self) -> Tensor:
        """What looks."""
        return self.given["query"]

    @property
    def key(self) -> Tensor:
        """What is looked at."""
        return self.given["key"]

    @property
    def value(self) -> Tensor:
        """What is pooled."""
        return self.given["value"]

    @property
    def dropout(self) -> float:
        """The probability this call drops weights with."""
        return float(self.given["dropout"])

    @property
    def kind(self) -> Kind:
        """By the names; between sequences of different lengths it is cross attention."""
        alike = self.query.shape[-2] == self.key.shape[-2]
        return kind_by_name(self.module, self.name) if alike else "cross"

    def asked(self) -> Asked:
        """It is said in our words already."""
        return Asked(**self.given, kind=self.kind, training=self.module.training)

    def free(self) -> "OwnCall":
        """The same with tensors that hold no graph."""
        vectors = {name: held(self.given[name]) for name in ("query", "key", "value")}
        return OwnCall(self.module, self.name, {**self.given, **vectors})

    def laid_out(self, x: Tensor) -> Float[Tensor, "*B Q E"]:
        """As it is."""
        return x


@contextmanager
def hearing(listener: Listener, running: Running) -> Iterator[None]:
    """Hear every call of :func:`regard.attend` inside the block."""

    def hearer(run: Callable[[], Tensor], given: dict[str, Any]) -> Tensor:
        module = running.innermost
        if module is None or not listener.hears(module) or door_of(module) == "ours":
            return run()
        with running.paused():
            call = OwnCall(module, listener.names[module], given)
            edits = listener.edits(call.name)
            output = edited(edits, call.asked(), run) if edits else run()
        told([listener], module, call, output)
        return output

    # Whoever edits comes first, so that whoever watches is told what came of it.
    HEARERS.insert(len(HEARERS) if listener.tell else 0, hearer)
    try:
        yield
    finally:
        HEARERS.remove(hearer)
