"""Explanations to plain data and back."""

import json
from math import isfinite
from typing import Any

import torch

from regard.errors import InputError
from regard.types import Tensor

from .record import STAGES, Explanation, Step

FORMAT = "regard explanation 1"
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool)
}


def to_dict(explanation: Explanation) -> dict[str, Any]:
    """Plain lists, strings and numbers."""
    return {
        "format": FORMAT,
        "score": explanation.score,
        "mask": explanation.mask,
        "normalise": explanation.normalise,
        "steps": [_step_to_dict(step) for step in explanation],
    }


def from_json(text: str) -> Explanation:
    """The inverse of :meth:`Explanation.to_json`.

    Raises:
        InputError: not JSON, or not an explanation.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"an explanation is read from JSON text, this stops being JSON at line {error.lineno}, "
            f"column {error.colno}: {error.msg}"
        ) from None
    return from_dict(data)


def from_dict(data: Any) -> Explanation:
    """The inverse of :func:`to_dict`.

    Raises:
        InputError: not a dictionary made by :func:`to_dict`.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise InputError(f"an explanation says format {FORMAT!r}, this says {found!r}")
    try:
        steps = tuple(_step_from_dict(step) for step in data["steps"])
        return Explanation(data["score"], data["mask"], data["normalise"], steps)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"this explanation is damaged: {error!r}") from None


def _step_to_dict(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "stage": step.stage,
        "symbol": step.symbol,
        "equation": step.equation,
        "note": step.note,
        "axes": list(step.axes),
        "shape": list(step.tensor.shape),
        "dtype": str(step.tensor.dtype).removeprefix("torch."),
        "values": _plain(step.tensor.tolist()),
    }


def _step_from_dict(data: dict[str, Any]) -> Step:
    if data["stage"] not in STAGES:
        raise ValueError(f"no stage {data['stage']!r}")
    return Step(
        data["name"],
        data["stage"],
        data["symbol"],
        data["equation"],
        tuple(data["axes"]),
        _tensor(data["values"], data["shape"], data["dtype"]),
        data["note"],
    )


def _tensor(values: Any, shape: list[int], dtype: str) -> Tensor:
    return torch.tensor(_numbers(values), dtype=DTYPES[dtype]).reshape(shape)


def _plain(values: Any) -> Any:
    """Nested lists with what JSON has no word for (infinities, NaN) as strings."""
    if isinstance(values, list):
        return [_plain(value) for value in values]
    return str(values) if isinstance(values, float) and not isfinite(values) else values


def _numbers(values: Any) -> Any:
    if isinstance(values, list):
        return [_numbers(value) for value in values]
    return float(values) if isinstance(values, str) else values
