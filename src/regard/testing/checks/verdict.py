"""How a check ends, and tolerances for comparing tensors."""

from typing import NoReturn

import torch

from regard.errors import CheckError
from regard.types import Tensor

from ..call import Answer

ABSOLUTE, RELATIVE = 1e-6, 1e-5
"""What rounding may change, also inside modules that normalise in float32 whatever comes in."""


class SkippedError(Exception):
    """A check that does not apply, and why."""


def skip(why: str) -> NoReturn:
    """End the check: it does not apply."""
    raise SkippedError(why)


def fail(why: str) -> NoReturn:
    """End the check: the module breaks it."""
    raise CheckError(why)


def same(found: Tensor, expected: Tensor) -> bool:
    """Equal but for rounding; NaN equals nothing."""
    return found.shape == expected.shape and torch.allclose(
        found.double(), expected.double(), rtol=RELATIVE, atol=ABSOLUTE
    )


def gap(found: Tensor, expected: Tensor) -> str:
    """The largest difference, in words."""
    if found.shape != expected.shape:
        return f"by its shape, {tuple(found.shape)} instead of {tuple(expected.shape)}"
    return f"by {number((found - expected).abs().max())}"


def require_same(what: str, found: Tensor, expected: Tensor, cure: str = "") -> None:
    """Fail with ``what``, the largest difference and the cure, unless they are the same."""
    if not same(found, expected):
        fail(f"{what} {gap(found, expected)}" + (f": {cure}" if cure else ""))


def number(x: Tensor | float) -> str:
    """Three digits of it."""
    return f"{float(x):.3g}"


def first(where: Tensor) -> list[int]:
    """The first place that is True."""
    return where.nonzero()[0].tolist()


def weights_of(answer: Answer) -> Tensor:
    """The weights, or the end of the check."""
    if answer.weights is None:
        skip("it shows no weights")
    return answer.weights


def require_finite(what: str, x: Tensor, when: str = "") -> None:
    """Fail on NaN or infinity."""
    if not x.isfinite().all():
        fail(f"{what} {'has NaN' if x.isnan().any() else 'is infinite'}{when}")
