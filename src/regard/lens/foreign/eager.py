"""Weights as a model hands them out itself: for classes of ``transformers`` with a softmax by hand.

Weights alone: no scores, no values, and so no receipt.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import nn

from regard.errors import ChoiceError
from regard.functional.events import Kind, StoredWeights
from regard.types import Tensor

from .event import kind_by_name
from .listener import Listener

PARTS: dict[str, Kind] = {
    "attentions": "self",
    "encoder_attentions": "self",
    "decoder_attentions": "self",
    "cross_attentions": "cross",
}
"""Where an output keeps weights."""

BANDED = ("LongformerSelfAttention", "LEDEncoderSelfAttention")
"""Classes whose weights have a column for every distance, and not for every key."""


@contextmanager
def asking(model: nn.Module, modules: Sequence[nn.Module], listener: Listener) -> Iterator[None]:
    """Have a model hand out its weights in every call inside the block.

    Unless the caller asked for them himself they are taken out of what he gets.

    Raises:
        ChoiceError: weights of one of them have no column for every key.
    """
    banded = [one for one in modules if type(one).__name__ in BANDED]
    if banded:
        others = sorted(set(listener.names.values()) - {listener.names[one] for one in banded})
        raise ChoiceError(
            f"{listener.names[banded[0]]!r} is a {type(banded[0]).__name__}, whose weights have a "
            "column for every distance in a window, and not for every key: they cannot be read as "
            f"a map; others can, by names=: {', '.join(map(repr, others)) or 'none'}"
        )
    asked: list[bool] = []

    def before(module: nn.Module, args: Any, kwargs: dict[str, Any]) -> Any:
        asked.append(bool(kwargs.get("output_attentions")))
        return args, {**kwargs, "output_attentions": True}

    def after(module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        for part, kind in PARTS.items():
            maps = getattr(output, part, None)
            if maps:
                _tell(part, kind, maps, modules, listener, training=module.training)
        if not asked.pop():
            _strip(output)

    handles = (
        model.register_forward_pre_hook(before, with_kwargs=True),
        model.register_forward_hook(after, with_kwargs=True),
    )
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _tell(
    part: str,
    kind: Kind,
    maps: Sequence[Tensor | None],
    modules: Sequence[nn.Module],
    listener: Listener,
    *,
    training: bool,
) -> None:
    """Every layer's weights, by the name of its module where there are as many of a kind."""
    alike = [
        listener.names[module]
        for module in modules
        if kind_by_name(module, listener.names[module]) == kind
        and _side(part) in ("", *listener.names[module].split("."))
    ]
    fits = len(alike) == len(maps)
    for number, weights in enumerate(maps):
        if weights is not None and listener.tell is not None:
            name = alike[number] if fits else f"{part}.{number}"
            listener.tell(name, StoredWeights(weights.detach(), kind=kind, training=training))


def _side(part: str) -> str:
    """Which half of a model these weights belong to, where it has two."""
    return part.partition("_")[0] if part in ("encoder_attentions", "decoder_attentions") else ""


def _strip(output: Any) -> None:
    """Take weights out of an output that nobody asked to have them."""
    for part in PARTS:
        if isinstance(output, dict) and part in output:
            output.pop(part) if not hasattr(output, "to_tuple") else _forget(output, part)


def _forget(output: Any, part: str) -> None:
    """Outputs of ``transformers`` refuse to lose a part, but not to have it as nothing."""
    OrderedDict.__delitem__(output, part)
    object.__setattr__(output, part, None)
