"""Check: the output has the dtype of the input."""

from operator import methodcaller

import torch

from ..subject import Subject
from .verdict import fail, require_finite

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def dtype(subject: Subject) -> None:
    """In four dtypes: the same dtype comes out, and finite numbers."""
    drawn = subject.draw()
    for kind in DTYPES:
        inputs = drawn.map(methodcaller("to", kind))
        try:
            with torch.no_grad():
                context, weights = subject.call(subject.copy(kind), inputs)
        except Exception as error:
            fail(f"in {_name(kind)} it raised {type(error).__name__}: {error}")
        for what, found in (("context", context), ("weights", weights)):
            if found is None:
                continue
            if found.dtype != kind:
                fail(
                    f"inputs in {_name(kind)} give {what} in {_name(found.dtype)}: normalise in "
                    "float32 if you like, then go back with .to(query.dtype)"
                )
            require_finite(f"the {what}", found, f" in {_name(kind)}")


def _name(kind: torch.dtype) -> str:
    return str(kind).removeprefix("torch.")
