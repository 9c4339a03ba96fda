"""Autoencoding by plain loops: noise of texts, and what is minimised."""

import math

from .masking import uniform


def noised(tokens, *, seed, epoch, number, dropped, hidden, shuffled, unknown):
    """What is read of one text."""
    fates = [uniform(seed, epoch, number, place, 0) for place in range(len(tokens))]
    left = []
    for place, token in enumerate(tokens):
        if fates[place] >= dropped or fates[place] == max(fates):
            is_hidden = uniform(seed, epoch, number, place, 1) < hidden
            left.append(unknown if is_hidden else token)
    if not shuffled:
        return left
    late = [
        place + uniform(seed, epoch, number, place, 2) * (shuffled + 1)
        for place in range(len(left))
    ]
    return [left[place] for place in sorted(range(len(left)), key=lambda place: late[place])]


def recurrent_features(latent, written, *, embedding, step, start):
    """States of a decoder that is shown the latent in every step."""
    state, found = start, []
    for token in written:
        state = step([*embedding[token], *latent], state)
        found.append(state)
    return found


def surprise(rows, targets, pad):
    """The sum of the negative log-likelihoods of targets that are no padding."""
    total = 0.0
    for logits, target in zip(rows, targets, strict=True):
        if target != pad:
            total += math.log(sum(math.exp(logit) for logit in logits)) - logits[target]
    return total


def squared_error(colours, pixels):
    """The mean over channels, rows and columns of colours from 0 to 1 and levels from 0 to 255."""
    total, count = 0.0, 0
    for channel, levels in zip(colours, pixels, strict=True):
        for row, wanted in zip(channel, levels, strict=True):
            for colour, level in zip(row, wanted, strict=True):
                total += (colour - level / 255) ** 2
                count += 1
    return total / count
