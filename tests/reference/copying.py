"""The pointer-generator, word by word, in plain Python: See et al. 2017, Eq. 9."""

import math


def probabilities(logits, weights, source, gate, vocab):
    """p(w) for every w: generated with probability sigmoid(gate), copied otherwise."""
    largest = max(logits)
    exponentials = [math.exp(logit - largest) for logit in logits]
    generates = 1 / (1 + math.exp(-gate))
    found = []
    for word in range(vocab):
        own = exponentials[word] / sum(exponentials) if word < len(logits) else 0.0
        copied = sum(weight for weight, token in zip(weights, source, strict=True) if token == word)
        found.append(generates * own + (1 - generates) * copied)
    return found


def coverage_loss(rows):
    """Sum over steps of sum over positions of min(a, what was looked at before): their Eq. 12."""
    total, covered = 0.0, [0.0] * len(rows[0])
    for row in rows:
        total += sum(min(a, c) for a, c in zip(row, covered, strict=True))
        covered = [a + c for a, c in zip(row, covered, strict=True)]
    return total
