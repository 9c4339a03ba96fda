"""Numbers written in the shell: ``"0,1,1; 5,0,1"`` is two vectors of three numbers."""

from math import isfinite

from regard.errors import InputError


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
