"""An explanation arranged for reading: a panel per query, a row per key, a column per step.

Text, rich table and HTML page all draw the same panels, in numbers written the same way.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import floor, inf, isfinite

import torch

from regard.errors import RangeError
from regard.functional.tensors import broadcast_shapes
from regard.types import Tensor

from .record import Explanation, Step

LARGEST_FIXED = 1e6
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_number(number: float, precision: int) -> str:
    """One number: whole numbers as they are, tiny and huge ones with an exponent.

    A number that would round to zero is never shown as zero: 0.0000 is written 2.9e-20.

    Args:
        number: any float, infinities and NaN too.
        precision: decimals of ordinary numbers.
    """
    if not isfinite(number):
        return {inf: "∞", -inf: "-∞"}.get(number, "nan")
    size = abs(number)
    if number == floor(number) and size < LARGEST_FIXED:
        return str(int(number))
    if size >= LARGEST_FIXED or size < 0.5 * 10.0**-precision:
        return f"{number:.{max(precision - 3, 1)}e}"
    return f"{number:.{precision}f}"


def column(numbers: Iterable[float], precision: int) -> list[str]:
    """Numbers that stand together: as many decimals as the most demanding of them needs.

    Whole numbers stay whole among whole numbers, and get decimals among others so that points
    line up; an exact zero is always ``0``, which tells it from a small number.
    """
    numbers = list(numbers)
    decimals = 0
    for number in numbers:
        decimals = max(decimals, _decimals(number, precision))
        if decimals == precision:
            break
    return [_padded(number, precision, decimals) for number in numbers]


def _decimals(number: float, precision: int) -> int:
    """The fewest decimals, at most ``precision``, that say ``number`` exactly if any do."""
    text = format_number(number, precision)
    if "." not in text or "e" in text:
        return 0
    exact = (d for d in range(precision) if float(f"{number:.{d}f}") == number)
    return next(exact, precision)


def _padded(number: float, precision: int, decimals: int) -> str:
    text = format_number(number, precision)
    if "e" in text or not isfinite(number) or number == 0:
        return text
    return f"{number:.{decimals}f}"


def typeset(word: str) -> str:
    """A written number as print would have it: ``-2.9e-20`` becomes ``−2.9·10⁻²⁰``."""
    mantissa, _, exponent = word.replace("-", "−").partition("e")
    if not exponent:
        return mantissa
    sign = "⁻" if exponent[0] == "−" else ""
    return f"{mantissa}·10{sign}{exponent[1:].lstrip('0').translate(SUPERSCRIPTS)}"


MOST_PAIRS = 64 * 64
MOST_NUMBERS = 64 * 64 * 64
MOST_NUMBERS_PER_KEY = 12
MOST_DECIMALS = 15
LONGEST_SUBTITLE = 16
OF_KEYS_ALONE = ("k", "v", "k′", "∂L/∂k", "∂L/∂v")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Line:
    """A step with one vector per query, e.g. the query itself or the context."""

    step: Step
    vector: list[float]


@dataclass(frozen=True)
class Column:
    """A step with something per key: one number, or one vector.

    Args:
        step: where it comes from.
        cells: one list of numbers per key.
        scalar: whether each list holds a single number.
        total: what stands below the column, or ``None``.
    """

    step: Step
    cells: list[list[float]]
    scalar: bool
    total: list[float] | None


@dataclass(frozen=True)
class Panel:
    """One query at one place of the leading axes, or what all queries share.

    Args:
        title: where in the leading axes.
        row: which query; ``None`` if the panel is about the keys alone.
        lines: vectors that belong to the query.
        columns: what belongs to the keys.
        context: the context, if the panel leads to it.
        shut: the keys that the mask closes.
    """

    title: str
    row: int | None
    lines: tuple[Line, ...]
    columns: tuple[Column, ...]
    context: Line | None
    shut: frozenset[int]


def subscript(symbol: str, position: int) -> str:
    """``k`` and 0 give ``k₁``: positions are counted from one, as in papers."""
    return symbol + str(position + 1).translate(SUBSCRIPTS)


def too_large(explanation: Explanation) -> str | None:
    """One sentence if the explanation has more numbers than anybody reads, else ``None``."""
    pairs = explanation.scores.numel()
    numbers = max(step.tensor.numel() for step in explanation)
    if pairs <= MOST_PAIRS and numbers <= MOST_NUMBERS:
        return None
    return (
        f"an explanation is printed up to {MOST_PAIRS} pairs of query and key and {MOST_NUMBERS} "
        f"numbers per step, this one has {pairs} pairs and {numbers} numbers; explain fewer rows, "
        "or take the numbers from its steps"
    )


def check_readable(explanation: Explanation, precision: int) -> None:
    """Raise ``RangeError`` if the explanation is too large to print, or so is the precision."""
    if not 1 <= precision <= MOST_DECIMALS:
        raise RangeError(f"precision needs a number from 1 to {MOST_DECIMALS}, got {precision}")
    sentence = too_large(explanation)
    if sentence is not None:
        raise RangeError(sentence)


@dataclass(frozen=True)
class Section:
    """The forward steps, or the gradients.

    Args:
        heading: what stands above; nothing over the forward steps.
        notes: the sentences that the steps carry.
        panels: what is drawn.
        shared: whether the values are the keys, so that one column shows both.
    """

    heading: str
    notes: tuple[str, ...]
    panels: tuple[Panel, ...]
    shared: bool


def sections(explanation: Explanation) -> Iterator[Section]:
    """What every view draws in turn: the forward steps, then the gradients if there are any."""
    for heading, gradients in (("", False), ("Gradients", True)):
        found = tuple(panels(explanation, gradients=gradients))
        if gradients and not found:
            return
        steps = (step for step in explanation if (step.stage == "gradient") == gradients)
        notes = tuple(step.note for step in steps if step.note)
        yield Section(heading, notes, found, not gradients and values_are_keys(explanation))


def panels(explanation: Explanation, *, gradients: bool) -> Iterator[Panel]:
    """The panels of the forward steps, or of the gradients.

    With several queries, or with more numbers than fit side by side, what belongs to the keys alone
    comes once, in a panel before theirs.
    """
    steps = [step for step in explanation if (step.stage == "gradient") == gradients]
    if not gradients and values_are_keys(explanation):
        steps = [step for step in steps if step.name != "value"]
    leading, rows = leading_shape(explanation), num_rows(explanation)
    apart = rows > 1 or _numbers_per_key(steps) > MOST_NUMBERS_PER_KEY
    shared = [step for step in steps if apart and step.symbol in OF_KEYS_ALONE]
    own = [step for step in steps if step not in shared]
    for place in product(*map(range, leading)):
        title = place_title(place, leading)
        if shared and rows:
            yield _panel(shared, title, place, None)
        for row in range(rows if own else 0):
            yield _panel(own, title, place, row)


def _numbers_per_key(steps: list[Step]) -> int:
    """How many numbers stand in one row of a table of these steps."""
    trailing = (step.tensor.shape[step.axes.index("K") + 1 :] for step in steps if "K" in step.axes)
    return sum(shape.numel() for shape in trailing)


def num_rows(explanation: Explanation) -> int:
    """How many queries there are; one where a single vector was explained."""
    return explanation.scores.shape[-2] if "Q" in explanation["scores"].axes else 1


def values_are_keys(explanation: Explanation) -> bool:
    """Whether the values hold the same numbers as the keys."""
    return torch.equal(explanation["key"].tensor, explanation["value"].tensor)


def leading_shape(explanation: Explanation) -> tuple[int, ...]:
    """The leading axes all steps broadcast to."""
    shapes = (step.tensor.shape[: step.axes.count("B")] for step in explanation)
    return tuple(broadcast_shapes(*shapes))


def place_title(place: tuple[int, ...], leading: tuple[int, ...]) -> str:
    """Where in the leading axes: empty, ``part 2 of 8``, or ``part (1, 2) of (3, 8)``."""
    if not leading:
        return ""
    if len(leading) == 1:
        return f"part {place[0] + 1} of {leading[0]}"
    return f"part {tuple(i + 1 for i in place)} of {leading}"


def at_place(step: Step, place: tuple[int, ...]) -> Tensor:
    """The tensor of a step at one place of the broadcast leading axes."""
    tensor = step.tensor
    for position in place[len(place) - step.axes.count("B") :]:
        tensor = tensor[position if tensor.shape[0] > 1 else 0]
    return tensor


def subtitle(step: Step) -> str:
    """What stands under the title of a step: its equation if that is short, else its symbol."""
    short = step.equation != "given" and len(step.equation) <= LONGEST_SUBTITLE
    return step.equation if short else step.symbol


def _panel(steps: list[Step], title: str, place: tuple[int, ...], row: int | None) -> Panel:
    here = [(step, _at_query(step, place, row or 0)) for step in steps]
    closed = (~allowed for step, allowed in here if step.name == "allowed")
    shut = frozenset(i for one in closed for i in one.nonzero().flatten().tolist())
    here = [(step, numbers) for step, numbers in here if step.name != "allowed"]
    rest = [Line(step, numbers.tolist()) for step, numbers in here if "K" not in step.axes]
    context = next((line for line in rest if line.step.name == "context"), None)
    return Panel(
        title,
        row,
        tuple(line for line in rest if line is not context),
        tuple(_column(step, numbers, context) for step, numbers in here if "K" in step.axes),
        context,
        shut,
    )


def _at_query(step: Step, place: tuple[int, ...], row: int) -> Tensor:
    here = at_place(step, place)
    return here[row if here.shape[0] > 1 else 0] if "Q" in step.axes else here


def _column(step: Step, here: Tensor, context: Line | None) -> Column:
    scalar = here.dim() == 1
    cells = here.unsqueeze(-1).tolist() if scalar else here.tolist()
    total = None
    if step.name == "weights":
        total = [float(here.sum())]
    elif step.name == "weighted_values" and context is not None:
        total = context.vector
    return Column(step, cells, scalar, total)
