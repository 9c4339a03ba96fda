"""Answers to questions, compared with those of people: exact match and F1 of their words."""

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from .references import References, match_references

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


class AnswerScore(NamedTuple):
    """Means over all questions, from 0 to 1."""

    exact: float
    f1: float


def answer_score(answers: Sequence[str], references: References) -> AnswerScore:
    r"""Exact match and F1 as SQuAD measures them: the best over the references of a question.

    .. math:: F_1 = \frac{2 |A \cap R|}{|A| + |R|}

    of the words A of an answer and R of a reference, with repetitions; without case, punctuation
    and English articles. Rajpurkar et al. 2016 (https://arxiv.org/abs/1606.05250). An empty
    reference means that there is no answer: only an empty answer is right then (SQuAD 2.0).

    Args:
        answers: one per question.
        references: of every question; their number may differ.

    Raises:
        ShapeError: more answers than questions with references, or fewer.
        InputError: no question, or one without a reference.
    """
    rows = list(zip(map(_words, answers), match_references(answers, references), strict=True))
    exact = sum(any(words == _words(text) for text in texts) for words, texts in rows)
    overlap = sum(max(_overlap(words, _words(text)) for text in texts) for words, texts in rows)
    return AnswerScore(exact / len(rows), overlap / len(rows))


def _words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _overlap(answer: list[str], reference: list[str]) -> float:
    if not answer or not reference:
        return float(answer == reference)
    common = (Counter(answer) & Counter(reference)).total()
    return 2 * common / (len(answer) + len(reference))
