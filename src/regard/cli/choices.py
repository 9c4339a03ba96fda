"""Scores, normalisers and masks written in the shell: ``gaussian:0.5``, ``window:1,1``.

What follows the colon are the numbers the value is made with. Vectors are rows between semicolons:
``"0,1,1; 5,0,1"`` is two vectors of three numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from cyclopts import Parameter

from ..errors import InputError

if TYPE_CHECKING:
    from ..functional.masks import Mask
    from ..functional.normalisers import Normaliser
    from ..functional.scores import Score
    from ..types import Tensor

from math import isfinite

Value = TypeVar("Value")

Vectors = Annotated[str, Parameter(allow_leading_hyphen=True)]
"""Text that may begin with a minus sign."""


@dataclass(frozen=True)
class ScoreParameters:
    """The weights of scores that have some, as they were typed."""

    weight: Vectors | None = None
    """Matrix of the scores general, concat and location."""
    v: Vectors | None = None
    """Vector of the scores additive and concat."""
    query_weight: Vectors | None = None
    """Matrix that the score additive applies to the query."""
    key_weight: Vectors | None = None
    """Matrix that the score additive applies to the keys."""

    def tensors(self) -> "dict[str, Tensor]":
        """Those which were given, in float64."""
        import torch

        typed = {name: text for name, text in vars(self).items() if text is not None}
        read = {
            name: (vector if name == "v" else vectors)(text, _option(name))
            for name, text in typed.items()
        }
        return {name: torch.tensor(n, dtype=torch.float64) for name, n in read.items()}


def score(text: str, given: ScoreParameters) -> "Score":
    """A score by name, with a number after a colon or with parameters of its own.

    Args:
        text: e.g. ``"gaussian:0.5"``.
        given: the parameters that were typed.

    Raises:
        InputError: a parameter that is missing, or that this score does not have.
        ChoiceError: no such score.
    """
    from ..functional import scores

    learned = {s.name: s for s in (scores.Additive, scores.Concat, scores.General, scores.Location)}
    name, numbers = _parts(text, "--score")
    parameters = given.tensors()
    if name in learned and not numbers:
        return _learned(name, learned[name], parameters)
    for foreign in parameters:
        raise InputError(f"--score {name} has no use for {_option(foreign)}; leave it out")
    return _made(name, numbers, "--score", type(scores.resolve(name)))


def normaliser(text: str) -> "Normaliser":
    """A normaliser by name, e.g. ``"sparsemax"``, ``"entmax:1.3"`` or ``"top_k:2"``.

    Raises:
        InputError: numbers that do not fit.
        ChoiceError: no such normaliser.
    """
    from ..functional import normalisers

    name, numbers = _parts(text, "--normalise")
    if name == "entmax":
        return _made(name, numbers, "--normalise", normalisers.Entmax)
    if name == "top_k":
        return _made(name, _whole(numbers, "--normalise top_k"), "--normalise", normalisers.TopK)
    return _bare(normalisers.resolve(name), numbers, f"--normalise: {name}")


def mask(text: str) -> "Mask":
    """A mask by name, e.g. ``"causal"`` or ``"window:1,1"``, or rows of 1 (may attend) and 0.

    Raises:
        InputError: numbers that do not fit.
        ChoiceError: no such mask.
    """
    import torch

    from ..functional import masks

    if not text.strip()[:1].isalpha():
        return masks.dense(torch.tensor(flags(text, "--mask")))
    name, numbers = _parts(text, "--mask")
    makers = (masks.causal, masks.prefix, masks.window, masks.strided)
    make = {m.__name__: m for m in makers}.get(name)
    if make is not None:
        return _made(name, _whole(numbers, f"--mask {name}"), "--mask", make)
    found = masks.resolve(name)
    assert found is not None
    return _bare(found, numbers, f"--mask: {name}")


def _parts(text: str, option: str) -> tuple[str, list[float]]:
    name, colon, numbers = text.partition(":")
    name = name.strip()
    return name, vector(numbers, f"{option} {name}") if colon else []


def _learned(name: str, make: "Callable[..., Score]", given: "dict[str, Tensor]") -> "Score":
    """A score with weights of its own, each given by the option of its name."""
    known = signature(make).parameters
    for foreign in given.keys() - known.keys():
        raise InputError(f"--score {name} has no use for {_option(foreign)}; leave it out")
    for parameter in known.values():
        if parameter.default is parameter.empty and parameter.name not in given:
            raise InputError(f"--score {name} needs {_option(parameter.name)}")
    return make(**given)


def _made(name: str, numbers: list[Any], option: str, make: Callable[..., Value]) -> Value:
    """The value, if the numbers are as many as it takes."""
    try:
        signature(make).bind(*numbers)
    except TypeError:
        wanted = ", ".join(signature(make).parameters) or "nothing"
        raise InputError(
            f"{option}: {name} takes {wanted} after a colon, got {len(numbers)} numbers"
        ) from None
    return make(*numbers)


def _bare(value: Value, numbers: list[float], what: str) -> Value:
    if numbers:
        raise InputError(f"{what} takes nothing after a colon")
    return value


def _option(parameter: str) -> str:
    return "--" + parameter.replace("_", "-")


def _whole(numbers: list[float], option: str) -> list[int]:
    for number in numbers:
        if number != int(number):
            raise InputError(f"{option}: needs whole numbers, got {number:g}")
    return [int(number) for number in numbers]


def vectors(text: str, option: str) -> list[list[float]]:
    """Rows separated by ``;`` of numbers separated by ``,``, all rows of one length.

    Args:
        text: what was typed.
        option: where it was typed, e.g. ``"--keys"``, for messages.

    Raises:
        InputError: something that is no finite number, an empty place, or rows of different
            lengths; the message names the position, counted from one.
    """
    if not text.strip():
        raise InputError(f'{option}: needs numbers such as "0,1,1; 5,0,1", got nothing')
    rows = [_row(row, number, option) for number, row in enumerate(text.split(";"), start=1)]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InputError(
                f"{option}: all rows need one length, row 1 has {_count(rows[0])} and "
                f"row {number} has {_count(row)}"
            )
    return rows


def vector(text: str, option: str) -> list[float]:
    """A single row of numbers.

    Raises:
        InputError: as in :func:`vectors`, or more than one row.
    """
    rows = vectors(text, option)
    if len(rows) > 1:
        raise InputError(f"{option}: needs one row of numbers, got {len(rows)}")
    return rows[0]


def flags(text: str, option: str) -> list[list[bool]]:
    """Rows of 1 (may attend) and 0 (may not).

    Raises:
        InputError: as in :func:`vectors`, or a number that is neither.
    """
    rows = vectors(text, option)
    for i, row in enumerate(rows, start=1):
        for j, number in enumerate(row, start=1):
            if number not in (0, 1):
                raise InputError(
                    f"{option}: row {i}, number {j}: needs 1 (may attend) or 0, got {number:g}"
                )
    return [[number == 1 for number in row] for row in rows]


def _row(text: str, row: int, option: str) -> list[float]:
    if not text.strip():
        raise InputError(f"{option}: row {row} is empty; put numbers between the semicolons")
    words = enumerate(text.split(","), start=1)
    return [_number(word.strip(), f"{option}: row {row}, number {place}") for place, word in words]


def _number(word: str, where: str) -> float:
    if not word:
        raise InputError(f"{where}: nothing between the commas")
    try:
        number = float(word)
    except ValueError:
        raise InputError(f"{where}: {word!r} is not a number") from None
    if not isfinite(number):
        raise InputError(f"{where}: {word!r} is not a finite number")
    return number


def _count(row: list[float]) -> str:
    return f"{len(row)} number{'s' if len(row) != 1 else ''}"
