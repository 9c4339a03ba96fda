"""The share of predictions that are right."""

from collections.abc import Sequence

from .confusion import check_lengths


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
