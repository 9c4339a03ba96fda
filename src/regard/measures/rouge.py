"""ROUGE-L of summaries: how much of them stands in the reference, in its order."""

import re
from collections.abc import Sequence

from .references import References, match_references

_WORD = re.compile(r"[^\W_]+")


def rouge_l(hypotheses: Sequence[str], references: References) -> float:
    r"""The mean over summaries of the F-score of the longest common subsequence, from 0 to 100.

    .. math:: R = \frac{\text{LCS}(h, r)}{|r|}, \quad P = \frac{\text{LCS}(h, r)}{|h|}, \quad
              F = \frac{2 P R}{P + R}

    Lin 2004 (https://aclanthology.org/W04-1013) with β = 1, as usual today. Words are runs of
    letters and digits in lower case, unstemmed; of several references the nearest counts.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a summary without a reference.
    """
    matched = zip(hypotheses, match_references(hypotheses, references), strict=True)
    scores = [max(_f_score(_words(text), _words(one)) for one in known) for text, known in matched]
    return 100 * sum(scores) / len(scores)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _f_score(written: Sequence[str], wanted: Sequence[str]) -> float:
    """2PR / (P + R) = 2 LCS / (|h| + |r|)."""
    if not written or not wanted:
        return 0.0
    return 2 * _common(written, wanted) / (len(written) + len(wanted))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for here in one:
        diagonal = 0
        for j, there in enumerate(other, start=1):
            found = diagonal + 1 if here == there else max(row[j], row[j - 1])
            diagonal, row[j] = row[j], found
    return row[-1]
