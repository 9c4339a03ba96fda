"""Who listens at the doors, and to which modules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import get_ident

import torch
from torch import nn

from regard.functional.asked import Edit
from regard.functional.events import AttentionEvent
from regard.types import Tensor

from .event import Call, ForeignEvent


@dataclass(eq=False)
class Listener:
    """One block that watches or edits a model, in the thread that opened it.

    Args:
        names: of the modules it cares for, by module.
        tell: what becomes of an event.
        edits: for a module, those that have another say.
    """

    names: Mapping[nn.Module, str]
    tell: Callable[[str, AttentionEvent], None] | None = None
    edits: Callable[[str], Sequence[Edit]] = field(default=lambda name: ())
    thread: int = field(default_factory=get_ident)

    def hears(self, module: nn.Module) -> bool:
        """Whether a call of this module, now, is for this block."""
        return self.thread == get_ident() and module in self.names and not recomputed()


def recomputed() -> bool:
    """Whether this is a backward pass: checkpoints run a layer a second time there."""
    return torch._C._current_graph_task_id() != -1


def told(heard: Sequence[Listener], module: nn.Module, call: Call, output: Tensor) -> None:
    """Tell everyone who watches what came out of a call."""
    tellers = [listener for listener in heard if listener.tell is not None]
    if not tellers:
        return
    event = ForeignEvent.of(call, output, training=module.training)
    for each in tellers:
        assert each.tell is not None
        each.tell(each.names[module], event)
