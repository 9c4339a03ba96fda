"""Every argument and every result is checked against its annotation, each of them once.

Left alone, ``--jaxtyping-packages`` binds the arguments of every call, checks them, calls, and
checks them again beside the result: a third of a run. One scope of axis letters, held open from
the arguments to the result, finds the same mistakes; a signature without an array needs none.
"""

import functools
import inspect
from types import FunctionType
from typing import ForwardRef, Literal, get_args, get_origin

import jaxtyping
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import _decorator, config
from jaxtyping._storage import get_shape_memo, pop_shape_memo, push_shape_memo, shape_str

_asked_twice = jaxtyping.jaxtyped


def _is_plain(function: FunctionType) -> bool:
    """Whether all annotations are read, no size is computed, and a call ends with its result."""
    said = function.__annotations__.values()
    return not (
        inspect.isgeneratorfunction(function)
        or inspect.iscoroutinefunction(function)
        or any("{" in repr(one) or not _is_read(one) for one in said)
    )


def _is_read(hint: object) -> bool:
    """Whether no part is a string: its name may be imported for the checker of types alone."""
    if isinstance(hint, str | ForwardRef):
        return False
    inside = hint if isinstance(hint, list) else get_args(hint)  # arguments of a Callable
    return get_origin(hint) is Literal or all(map(_is_read, inside))


def _in_a_scope(checked: FunctionType, *args, **kwargs):
    push_shape_memo({})
    try:
        return checked(*args, **kwargs)
    except BeartypeCallHintViolation as error:
        if not hasattr(error, "__notes__"):
            error.add_note(shape_str(get_shape_memo()))
        raise
    finally:
        pop_shape_memo()


def jaxtyped(function=None, *, typechecker):
    """What :func:`jaxtyping.jaxtyped` does, in the plain case by one check."""
    if function is None:
        return functools.partial(jaxtyped, typechecker=typechecker)
    if not (isinstance(function, FunctionType) and _is_plain(function)):
        return _asked_twice(function, typechecker=typechecker)
    checked = typechecker(function)
    if any("jaxtyping." in repr(one) for one in function.__annotations__.values()):
        checked = functools.partial(_in_a_scope, checked)

    @functools.wraps(function)
    def called(*args, **kwargs):
        return (function if config.jaxtyping_disable else checked)(*args, **kwargs)

    return called


def install() -> None:
    """For every module that is imported from now on, and for the fields of its dataclasses."""
    jaxtyping.jaxtyped = _decorator.jaxtyped = jaxtyped
