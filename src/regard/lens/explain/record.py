"""What an explanation is: steps, each one named tensor with its equation."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from regard.errors import ChoiceError
from regard.extras import need
from regard.types import Tensor

if TYPE_CHECKING:
    from .table import Tables

Stage = Literal["input", "score", "mask", "normalise", "pool", "gradient"]
STAGES: tuple[str, ...] = get_args(Stage)


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
        from .convert import to_dict

        return to_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """JSON text; :meth:`from_json` reads it back without losing a digit.

        Args:
            indent: spaces per level, or ``None`` for one line.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Explanation":
        """The explanation that :meth:`to_dict` was called on.

        Raises:
            InputError: not a dictionary made by :meth:`to_dict`.
        """
        from .convert import from_dict

        return from_dict(data)

    @classmethod
    def from_json(cls, text: str) -> "Explanation":
        """The explanation that :meth:`to_json` was called on.

        Raises:
            InputError: not JSON, or not an explanation.
        """
        from .convert import from_json

        return from_json(text)
