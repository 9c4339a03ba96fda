"""What a module that is not ours did, kept by reference and mapped when it is read."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from torch import nn

from regard.errors import ChoiceError
from regard.functional.asked import Asked
from regard.functional.events import Attended, Kind, held, version_of
from regard.functional.index import Index
from regard.types import Float, Tensor

CROSS = ("encoder_attn", "encdec", "cross", "enc_attn", "multihead_attn")
"""Parts of names that only attention to another sequence has."""


@runtime_checkable
class Call(Protocol):
    """A call of somebody's attention, in their words."""

    @property
    def name(self) -> str:
        """Of the module."""

    @property
    def query(self) -> Tensor:
        """What is looking."""

    @property
    def key(self) -> Tensor:
        """What is looked at."""

    @property
    def value(self) -> Tensor:
        """What is pooled."""

    @property
    def kind(self) -> Kind:
        """What attends to what."""

    @property
    def dropout(self) -> float:
        """The probability this call drops weights with."""

    def asked(self) -> Asked:
        """The same attention by our values."""

    def free(self) -> "Call":
        """The same with tensors that hold no graph."""

    def laid_out(self, x: Tensor) -> Float[Tensor, "*B Q E"]:
        """An output as we lay out a context."""


@dataclass(frozen=True, eq=False)
class ForeignEvent:
    """One act of attending of a module that is not ours.

    Args:
        call: with tensors that hold no graph.
        output: the tensor the model went on with.
        kind: what attended to what.
        training: whether the module was in training.
        dropout: the probability with which weights were dropped.
        versions: how often each tensor had been written to.
    """

    call: Call
    output: Tensor = field(repr=False)
    kind: Kind
    training: bool
    dropout: float
    versions: tuple[int | None, ...] = field(repr=False)

    @classmethod
    def of(cls, call: Call, output: Tensor, *, training: bool) -> "ForeignEvent":
        """The event of a call that has been answered."""
        free = call.free()
        return cls(free, output, call.kind, training, call.dropout, _versions(free, output))

    @cached_property
    def mapped(self) -> Attended:
        """The same in our words.

        Raises:
            ChoiceError: what was looked at was written over since.
        """
        if self.versions != _versions(self.call, self.output):
            raise ChoiceError(
                f"{self.call.name!r} wrote over what it had looked at; read its weights before that"
            )
        return self.call.asked().told(self.laid_out(self.output.detach()))

    def laid_out(self, x: Tensor) -> Float[Tensor, "*B Q E"]:
        """An output, or its gradient, as we lay out a context."""
        return self.call.laid_out(x)

    def weigh(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """The weights."""
        return self.mapped.weigh(rows, heads)

    def without_graph(self) -> "ForeignEvent":
        """The same with an output that holds no graph."""
        if not self.output.requires_grad:
            return self
        rest = (self.kind, self.training, self.dropout, self.versions)
        return ForeignEvent(self.call, self.output.detach(), *rest)


def _versions(call: Call, output: Tensor) -> tuple[int | None, ...]:
    return tuple(map(version_of, (call.query, call.key, call.value, output)))


def kind_by_name(module: nn.Module, name: str) -> Kind:
    """Self or cross attention, as far as names tell."""
    if getattr(module, "is_cross_attention", False):
        return "cross"
    told = f"{name} {type(module).__name__}".lower()
    return "cross" if any(part in told for part in CROSS) else "self"


def kept(x: Tensor) -> Tensor:
    """A tensor by reference; that of a static cache, which is written over, is copied."""
    static = getattr(x, "_dynamo_static_input_type", None) is not None
    return x.detach().clone() if static else held(x)


def freed(x: Any) -> Any:
    """A tensor without its graph; anything else as it is."""
    return held(x) if isinstance(x, Tensor) else x
