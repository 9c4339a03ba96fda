"""Which class was taken for which, and the share that is right."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from regard.errors import InputError, ShapeError


class Confusion(NamedTuple):
    """How often each class was predicted where each was wanted."""

    labels: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    """A row for each wanted class, a column for each predicted one, in the order of ``labels``."""


def confusion(
    predicted: Sequence[Hashable], gold: Sequence[Hashable], labels: Iterable[Hashable] = ()
) -> Confusion:
    r"""The confusion matrix.

    .. math:: C_{ij} = |\{n : y_n = i, \hat{y}_n = j\}|

    Args:
        predicted: a class for each example.
        gold: the class that is right.
        labels: classes that come first, in this order, though they may not occur; the others
            follow in order.

    Raises:
        ShapeError: more predictions than gold, or fewer.
        InputError: no example.
    """
    check_lengths(predicted, gold)
    first = tuple(dict.fromkeys(labels))
    names = (*first, *_sorted({*predicted, *gold} - {*first}))
    times = Counter(zip(gold, predicted, strict=True))
    return Confusion(names, tuple(tuple(times[row, column] for column in names) for row in names))


def check_lengths(predicted: Sequence[object], gold: Sequence[object]) -> None:
    """Refuse different numbers of predictions and of gold, and none at all.

    Raises:
        ShapeError: more predictions than gold, or fewer.
        InputError: no example.
    """
    if len(predicted) != len(gold):
        raise ShapeError(
            f"every prediction needs its gold, got {len(predicted)} predictions and {len(gold)} "
            "of gold"
        )
    if not len(gold):
        raise InputError("a score needs at least one example, got none")


def _sorted(labels: Iterable[Any]) -> list[Hashable]:
    """In order; classes that have none among them, by how they are written."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=repr)


def accuracy(predicted: Sequence[object], gold: Sequence[object]) -> float:
    r"""The share of examples, from 0 to 1, whose class is the right one.

    .. math:: \frac{1}{N} |\{n : \hat{y}_n = y_n\}|

    Args:
        predicted: a class for each example.
        gold: the class that is right.

    Raises:
        ShapeError: more predictions than gold, or fewer.
        InputError: no example.
    """
    check_lengths(predicted, gold)
    return sum(a == b for a, b in zip(predicted, gold, strict=True)) / len(gold)
