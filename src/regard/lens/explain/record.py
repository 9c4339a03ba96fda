"""What an explanation is: steps, each one named tensor with its equation."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, get_args

import torch

from regard.errors import ChoiceError, InputError
from regard.extras import need
from regard.json_text import parsed
from regard.types import Tensor

if TYPE_CHECKING:
    from .table import Tables

Stage = Literal["input", "score", "mask", "normalise", "pool", "gradient"]
STAGES: tuple[str, ...] = get_args(Stage)
FORMAT = "regard explanation 1"
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool)
}


@dataclass(frozen=True, eq=False)
class Step:
    """One tensor on the way from query to context.

    Args:
        name: what it is called, e.g. ``"weights"``; unique within an explanation.
        stage: which part of score → mask → normalise → pool it belongs to.
        symbol: how equations write it, e.g. ``"α"``.
        equation: how it comes about, in plain Unicode.
        axes: the letter of each axis of ``tensor`` (legend: :mod:`regard.types`); leading axes are
            all ``"B"``.
        tensor: the numbers.
        note: one sentence, or nothing.
    """

    name: str
    stage: Stage
    symbol: str
    equation: str
    axes: tuple[str, ...]
    tensor: Tensor
    note: str = ""

    @property
    def title(self) -> str:
        """The name as words."""
        return self.name.replace("_", " ")

    @cached_property
    def largest(self) -> float:
        """The largest finite magnitude, 0 if there is none."""
        finite = self.tensor.double()[self.tensor.isfinite()].abs()
        return float(finite.max()) if finite.numel() else 0.0

    def __repr__(self) -> str:
        return f"Step({self.name}: {self.equation}, {tuple(self.tensor.shape)})"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, strings and numbers."""
        return {
            **{name: getattr(self, name) for name in ("name", "stage", "symbol", "equation")},
            "note": self.note,
            "axes": list(self.axes),
            "shape": list(self.tensor.shape),
            "dtype": str(self.tensor.dtype).removeprefix("torch."),
            "values": _plain(self.tensor.tolist()),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Step":
        """The step that :meth:`to_dict` was called on."""
        if data["stage"] not in STAGES:
            raise ValueError(f"no stage {data['stage']!r}")
        words = {name: data[name] for name in ("name", "stage", "symbol", "equation", "note")}
        numbers = torch.tensor(_numbers(data["values"]), dtype=DTYPES[data["dtype"]])
        return cls(**words, axes=tuple(data["axes"]), tensor=numbers.reshape(data["shape"]))


@dataclass(frozen=True, eq=False)
class Explanation:
    """Every step of one attention, as data that prints itself.

    ``explanation["weights"]`` is one :class:`Step`; iterating gives all of them in order. ``print``
    writes plain text, :meth:`table` is for rich, :meth:`to_html` is a page of its own, and
    :meth:`to_json` keeps every digit.

    Args:
        score: the score, as it was given.
        mask: the mask, or ``None``.
        normalise: the normaliser.
        steps: the steps in the order of computation.
    """

    score: str
    mask: str | None
    normalise: str
    steps: tuple[Step, ...]

    @cached_property
    def _by_name(self) -> dict[str, Step]:
        return {step.name: step for step in self.steps}

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Step:
        """The step called ``name``.

        Raises:
            ChoiceError: there is no such step.
        """
        if name not in self._by_name:
            near = get_close_matches(name, self._by_name, n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ChoiceError(f"no step {name!r}.{hint} Here: {', '.join(self._by_name)}.")
        return self._by_name[name]

    @property
    def scores(self) -> Tensor:
        """Scores before the mask, (*B, Q, K)."""
        return self["scores"].tensor

    @property
    def weights(self) -> Tensor:
        """Weights, (*B, Q, K); what :func:`regard.weigh` returns."""
        return self["weights"].tensor

    @property
    def context(self) -> Tensor:
        """The context, (*B, Q, E); what :func:`regard.attend` returns."""
        return self["context"].tensor

    def __repr__(self) -> str:
        scores = tuple(self.scores.shape)
        return f"Explanation({self.score}, {self.normalise}, scores {scores})"

    def __str__(self) -> str:
        from .text import text

        return text(self)

    def table(self, precision: int = 4) -> "Tables":
        """The explanation as tables for rich.

        Args:
            precision: decimals of ordinary numbers.

        Raises:
            RangeError: more numbers than anybody reads; take them from the steps.
            MissingExtraError: rich is not installed.
        """
        need("rich", "an explanation in the terminal")
        from .table import Tables

        return Tables(self, precision)

    def __rich__(self) -> "Tables":
        return self.table()

    def to_html(self, precision: int = 4) -> str:
        """The explanation as one HTML page: no scripts, nothing fetched, light and dark.

        Args:
            precision: decimals of ordinary numbers.

        Raises:
            RangeError: more numbers than anybody reads; take them from the steps.
        """
        from .page import page

        return page(self, precision)

    def _repr_html_(self) -> str:
        from .page import notebook

        return notebook(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, strings and numbers; -∞ becomes ``"-inf"``."""
        return {
            "format": FORMAT,
            "score": self.score,
            "mask": self.mask,
            "normalise": self.normalise,
            "steps": [step.to_dict() for step in self],
        }

    def to_json(self, indent: int | None = None) -> str:
        """JSON text; :meth:`from_json` reads it back without losing a digit.

        Args:
            indent: spaces per level, or ``None`` for one line.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Any) -> "Explanation":
        """The explanation that :meth:`to_dict` was called on.

        Raises:
            InputError: not a dictionary made by :meth:`to_dict`.
        """
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            found = data.get("format") if isinstance(data, dict) else type(data).__name__
            raise InputError(f"an explanation says format {FORMAT!r}, this says {found!r}")
        try:
            steps = tuple(map(Step.from_dict, data["steps"]))
            return cls(data["score"], data["mask"], data["normalise"], steps)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"this explanation is damaged: {error!r}") from None

    @classmethod
    def from_json(cls, text: str) -> "Explanation":
        """The explanation that :meth:`to_json` was called on.

        Raises:
            InputError: not JSON, or not an explanation.
        """
        try:
            data = parsed(text)
        except json.JSONDecodeError as error:
            raise InputError(
                "an explanation is read from JSON text, this stops being JSON at line "
                f"{error.lineno}, column {error.colno}: {error.msg}"
            ) from None
        except ValueError as error:
            raise InputError(f"an explanation is read from JSON text, {error}") from None
        return cls.from_dict(data)


def _plain(values: Any) -> Any:
    """Nested lists with what JSON has no word for (infinities, NaN) as strings."""
    if isinstance(values, list):
        return [_plain(value) for value in values]
    return str(values) if isinstance(values, float) and not isfinite(values) else values


def _numbers(values: Any) -> Any:
    if isinstance(values, list):
        return [_numbers(value) for value in values]
    return float(values) if isinstance(values, str) else values
