"""The one door of ``transformers``: the interface that every attention module asks for a function.

While a block is open, what the interface hands out is wrapped; the function that runs, its mask,
its kernel and its numbers stay those of the model.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from threading import Lock
from typing import Any

from torch import nn

from regard.errors import ChoiceError
from regard.functional.asked import edited
from regard.types import Tensor

from .call import InterfaceCall
from .listener import Listener, told

Function = Callable[..., Any]

_LOCK = Lock()
_LISTENERS: list[Listener] = []
_ORIGINALS: dict[str, Any] = {}
_MARK = "_regard_listens"


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let a listener hear, and edit, what its modules ask of the interface inside the block.

    Raises:
        ChoiceError: a version of ``transformers`` whose interface is another.
    """
    _open(listener)
    try:
        yield
    finally:
        _close(listener)


def _open(listener: Listener) -> None:
    with _LOCK:
        if not _LISTENERS:
            interface = _interface()
            for name in ("get_interface", "__getitem__"):
                if hasattr(interface, name):
                    _ORIGINALS[name] = interface.__dict__.get(name)
                    setattr(interface, name, _WRAPPERS[name](getattr(interface, name)))
        _LISTENERS.append(listener)


def _close(listener: Listener) -> None:
    with _LOCK:
        _LISTENERS.remove(listener)
        if _LISTENERS:
            return
        interface = _interface()
        for name, original in _ORIGINALS.items():
            if original is None:
                delattr(interface, name)
            else:
                setattr(interface, name, original)
        _ORIGINALS.clear()


def _interface() -> Any:
    """The class whose instances are asked, if it is the one we know."""
    import transformers
    from transformers import modeling_utils

    found = getattr(modeling_utils, "AttentionInterface", None)
    asked = getattr(found, "get_interface", None)
    fits = found is not None and (
        asked is None
        or list(signature(asked).parameters)[:3] == ["self", "attn_implementation", "default"]
        or hasattr(asked, "__wrapped__")
    )
    if not fits:
        raise ChoiceError(
            "capture needs the attention interface of transformers 4.48 to 5, "
            f"AttentionInterface.get_interface(attn_implementation, default), which transformers "
            f"{transformers.__version__} does not have; install another version"
        )
    return found


def _wrapping_ask(ask: Function) -> Function:
    """``get_interface``, whose answer tells."""

    @wraps(ask)
    def get_interface(self: Any, attn_implementation: str, default: Function) -> Function:
        found = ask(self, attn_implementation, default)
        return _telling(found, eager=found is default)

    return get_interface


def _wrapping_item(item: Function) -> Function:
    """``__getitem__``, whose answer tells: older versions, and files that ask by name."""

    @wraps(item)
    def __getitem__(self: Any, key: str) -> Function:  # noqa: N807
        return _telling(item(self, key), eager=key == "eager")

    return __getitem__


_WRAPPERS = {"get_interface": _wrapping_ask, "__getitem__": _wrapping_item}


def _telling(function: Function, *, eager: bool) -> Function:
    """An attention function that is heard; one that is already stays what it is."""
    if hasattr(function, _MARK) or not callable(function):
        return function

    @wraps(function)
    def attention_interface(module: nn.Module, *args: Any, **options: Any) -> Any:
        heard = [listener for listener in tuple(_LISTENERS) if listener.hears(module)]
        if not heard:
            return function(module, *args, **options)
        return _answered(function, heard, module, args, options, eager=eager)

    setattr(attention_interface, _MARK, True)
    return attention_interface


def _answered(
    function: Function,
    heard: list[Listener],
    module: nn.Module,
    args: tuple[Any, ...],
    options: dict[str, Any],
    *,
    eager: bool,
) -> Any:
    """Run it as it would have run, with all edits; then tell."""
    call = _call(heard[0].names[module], module, args, options, eager=eager)
    answers: list[Any] = []

    def run() -> Tensor:
        answers.append(function(module, *args, **options))
        return answers[0][0].transpose(1, 2)

    edits = [edit for each in heard for edit in each.edits(each.names[module])]
    if edits:
        context = edited(edits, call.asked(), run).to(call.query.dtype)
        output = context.transpose(1, 2).contiguous()
        answer: Any = (output, answers[0][1] if answers else None)
    else:
        answer = function(module, *args, **options)
        output = answer[0]
    told(heard, module, call, output)
    return answer


def _call(
    name: str, module: nn.Module, args: tuple[Any, ...], options: dict[str, Any], *, eager: bool
) -> InterfaceCall:
    """What was handed over, whether by place or by name."""
    given = dict(zip(TENSORS, args, strict=False)) | options
    query, key, value, mask = (given.pop(each, None) for each in TENSORS)
    return InterfaceCall(module, name, query, key, value, mask, given, eager)


TENSORS = ("query", "key", "value", "attention_mask")
"""What every attention function takes first."""
