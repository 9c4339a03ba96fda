"""BLEU, chrF and alignment errors as loops, from their papers."""

import math
from collections.abc import Iterable, Sequence


def grams(items: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """All runs of ``order`` neighbours."""
    return [tuple(items[i : i + order]) for i in range(len(items) - order + 1)]


def bleu(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU of words between spaces; an order without a match counts 1/2, 1/4, … of one."""
    matches, totals = [0] * 4, [0] * 4
    length = wanted = 0
    for hypothesis, texts in zip(hypotheses, references, strict=True):
        words, others = hypothesis.split(), [text.split() for text in texts]
        length += len(words)
        wanted += min((abs(len(other) - len(words)), len(other)) for other in others)[1]
        for order in range(1, 5):
            here = grams(words, order)
            totals[order - 1] += len(here)
            for gram in set(here):
                most = max(grams(other, order).count(gram) for other in others)
                matches[order - 1] += min(here.count(gram), most)
    if not any(matches) or not all(totals):
        return 0.0
    penalty = 1.0 if length >= wanted else math.exp(1 - wanted / length)
    product, missing = 1.0, 1.0
    for match, total in zip(matches, totals, strict=True):
        if not match:
            missing /= 2
        product *= (match or missing) / total
    return 100 * penalty * product**0.25


def chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Mean precision and recall of character runs of length 1 to 6, without spaces."""
    total = [[0, 0, 0] for _ in range(6)]
    for hypothesis, texts in zip(hypotheses, references, strict=True):
        best = max((_character_counts(hypothesis, text) for text in texts), key=_character_f)
        for sums, counts in zip(total, best, strict=True):
            for place, count in enumerate(counts):
                sums[place] += count
    return 100 * _character_f(total)


def _character_counts(hypothesis: str, reference: str) -> list[list[int]]:
    here, there = ("".join(text.split()) for text in (hypothesis, reference))
    found = []
    for order in range(1, 7):
        ours, theirs = grams(here, order), grams(there, order)
        match = sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours))
        found.append([len(ours) if theirs else 0, len(theirs), match])
    return found


def _character_f(counts: list[list[int]]) -> float:
    both = [(match / ours, match / theirs) for ours, theirs, match in counts if ours and theirs]
    if not any(precision for precision, _ in both):
        return 0.0
    precision = sum(pair[0] for pair in both) / len(both)
    recall = sum(pair[1] for pair in both) / len(both)
    return 5 * precision * recall / (4 * precision + recall)


Link = tuple[int, int]


def error_rate(sentences: Iterable[tuple[set[Link], set[Link], set[Link]]]) -> float:
    """1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) over (predicted, sure, possible or sure) links."""
    right = total = 0
    for predicted, sure, allowed in sentences:
        for link in predicted:
            right += (link in sure) + (link in allowed)
        total += len(predicted) + len(sure)
    return 1 - right / total


def word_weights(
    weights: Sequence[Sequence[float]],
    *,
    source: Sequence[Sequence[int]],
    target: Sequence[Sequence[int]],
    shift: int = 0,
) -> list[list[float]]:
    """Weights between words, given the numbers of the tokens of each word."""
    table = []
    for looking in target:
        row = []
        for looked_at in source:
            total = 0.0
            for t in looking:
                for s in looked_at:
                    total += weights[t + shift][s] / len(looking)
            row.append(total)
        table.append(row)
    return table


def highest(weights: Sequence[Sequence[float]]) -> set[Link]:
    """(column, row) of the first maximum of every row."""
    return {(max(range(len(row)), key=lambda i: (row[i], -i)), j) for j, row in enumerate(weights)}


def mutual(weights: Sequence[Sequence[float]]) -> set[Link]:
    """(column, row) of what is the first maximum of its row and of its column."""
    turned = [list(column) for column in zip(*weights, strict=True)]
    return highest(weights) & {(i, j) for j, i in highest(turned)}
