"""Word and phoneme error of pronunciations."""

import re
from collections.abc import Sequence

from .references import References, match_references

_STRESS = re.compile(r"(?<=[A-Z])[0-2](?!\S)|[\u02c8\u02cc]")
"""A digit behind a vowel of ARPAbet, or a mark of IPA."""


def without_stress(text: str) -> tuple[str, ...]:
    """The phonemes of a pronunciation: ``"K AE1 T"`` is K, AE and T."""
    return tuple(_STRESS.sub("", text).split())


def word_error(hypotheses: Sequence[str], references: References) -> float:
    """The share of words, from 0 to 1, whose pronunciation is none of the references.

    Phonemes stand between spaces; their stress does not count.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a word without a reference.
    """
    matched = zip(hypotheses, match_references(hypotheses, references), strict=True)
    wrong = [without_stress(text) not in map(without_stress, known) for text, known in matched]
    return sum(wrong) / len(wrong)


def phoneme_error(hypotheses: Sequence[str], references: References) -> float:
    r"""Phonemes inserted, deleted and exchanged, beside those of the nearest references.

    .. math:: \sum_n \min_r d(h_n, r) \Big/ \sum_n |r_n^*|

    d is the distance of Levenshtein, r* the nearest reference, the longest if several are. Stress
    does not count.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a word without a reference.
    """
    errors = phonemes = 0
    for text, known in zip(hypotheses, match_references(hypotheses, references), strict=True):
        written, wanted = without_stress(text), map(without_stress, known)
        distance, length = min((edit_distance(written, one), -len(one)) for one in wanted)
        errors, phonemes = errors + distance, phonemes - length
    return errors / max(1, phonemes)


def edit_distance(one: Sequence[object], other: Sequence[object]) -> int:
    """How many must be inserted, deleted or exchanged to make one sequence of the other."""
    row = list(range(len(other) + 1))
    for i, here in enumerate(one, start=1):
        diagonal, row[0] = row[0], i
        for j, there in enumerate(other, start=1):
            kept = diagonal + (here != there)
            diagonal = row[j]
            row[j] = min(kept, row[j] + 1, row[j - 1] + 1)
    return row[-1]
