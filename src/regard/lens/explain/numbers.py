"""How a number is written for a reader."""

from collections.abc import Iterable
from math import floor, inf, isfinite

LARGEST_FIXED = 1e6
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def written(number: float, precision: int) -> str:
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
    text = written(number, precision)
    if "." not in text or "e" in text:
        return 0
    exact = (d for d in range(precision) if float(f"{number:.{d}f}") == number)
    return next(exact, precision)


def _padded(number: float, precision: int, decimals: int) -> str:
    text = written(number, precision)
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
