"""What changes logits, as plain loops over lists."""

import math


class RepetitionPenalty:
    def __init__(self, penalty):
        self.penalty = penalty

    def __call__(self, logits, tokens):
        return [
            x if token not in tokens else x * self.penalty if x < 0 else x / self.penalty
            for token, x in enumerate(logits)
        ]


class NoRepeatNGram:
    def __init__(self, size):
        self.size = size

    def __call__(self, logits, tokens):
        there = {tuple(tokens[i : i + self.size]) for i in range(len(tokens) - self.size + 1)}
        last = tuple(tokens[len(tokens) - self.size + 1 :])
        return [-math.inf if (*last, token) in there else x for token, x in enumerate(logits)]


class Banned:
    def __init__(self, words):
        self.words = words

    def __call__(self, logits, tokens):
        found = list(logits)
        for *before, last in self.words:
            if tokens[len(tokens) - len(before) :] == before:
                found[last] = -math.inf
        return found


class Forced:
    def __init__(self, prefix, words):
        self.words = words

    def __call__(self, logits, tokens):
        for word in self.words:
            for known in range(1, len(word)):
                if tuple(tokens[-known:]) == tuple(word[:known]):
                    logits = [
                        x if token == word[known] else -math.inf for token, x in enumerate(logits)
                    ]
        return logits
