"""Decoding in plain Python over a table of next-token logits, by loops and by trying everything."""

import math
from itertools import product


def log_softmax(logits):
    highest = max(logits)
    total = highest + math.log(sum(math.exp(x - highest) for x in logits))
    return [x - total for x in logits]


def log_prob(table, tokens, bos):
    """Of these tokens in a row, each said by the row of the one before."""
    return sum(
        log_softmax(table[before])[after]
        for before, after in zip([bos, *tokens], tokens, strict=False)
    )


def length_penalty(length, alpha):
    return (5 + length) ** alpha / (5 + 1) ** alpha


def greedy(table, *, bos, eos, longest, forbidden=(), min_length=0):
    """Tokens without the end, and whether it came."""
    tokens = [bos]
    while len(tokens) <= longest:
        row = log_softmax(table[tokens[-1]])
        barred = {*forbidden, *([eos] if len(tokens) - 1 < min_length else [])}
        best = max((t for t in range(len(row)) if t not in barred), key=lambda t: row[t])
        if best == eos:
            return tokens[1:], True
        tokens.append(best)
    return tokens[1:], False


def exhaustive(table, *, bos, eos, longest, alpha=0.0, forbidden=(), min_length=0):
    """Every sentence that ends within the limit or is cut there: (score, log_prob, tokens)."""
    words = [t for t in range(len(table)) if t != eos and t not in forbidden]
    found = []
    for length in range(min_length, longest):
        for tokens in product(words, repeat=length):
            total = log_prob(table, [*tokens, eos], bos)
            found.append((total / length_penalty(length + 1, alpha), total, tokens))
    for tokens in product(words, repeat=longest):
        total = log_prob(table, tokens, bos)
        found.append((total / length_penalty(longest, alpha), total, tokens))
    return sorted(found, reverse=True)


def beam(table, *, size, longest, alpha=0.0, **rules):
    """Beam search hypothesis by hypothesis: (score, log_prob, tokens), the best first."""
    return diverse(table, groups=1, each=size, longest=longest, alpha=alpha, **rules)


def diverse(table, *, groups, each, bos, eos, longest, diversity=0.0, alpha=0.0, forbidden=()):
    """Diverse beam search hypothesis by hypothesis: (score, log_prob, tokens), the best first.

    Until ``each`` hypotheses of every group have ended or the limit is reached; then those that
    are open have ended too. Without any earlier stop: what a sound one must find too.
    """
    alive, ended = [[(0.0, (bos,))] for _ in range(groups)], [[] for _ in range(groups)]
    for length in range(1, longest + 1):
        written = []
        for group in range(groups):
            grown = []
            for total, tokens in alive[group]:
                row = log_softmax(table[tokens[-1]])
                for t in range(len(table)):
                    if t not in forbidden:
                        worth = total + row[t] - diversity * written.count(t)
                        grown.append((worth, total + row[t], (*tokens, t)))
            grown.sort(reverse=True)
            likeliest = [pair for _, *pair in grown[:each]]
            ends = [(total, tokens) for total, tokens in likeliest if tokens[-1] == eos]
            open_ = [pair for _, *pair in grown if pair[1][-1] != eos][:each]
            if len(ended[group]) + len(ends) >= each:
                open_ = []
            written += [tokens[-1] for _, tokens in [*ends, *open_]]
            if length == longest:
                ends, open_ = [*ends, *open_], []
            alive[group] = open_
            for total, tokens in ends:
                said = tuple(t for t in tokens[1:] if t != eos)
                ended[group].append((total / length_penalty(length, alpha), total, said))
    return sorted({one for group in ended for one in group}, reverse=True)


def coverage_penalty(columns, beta):
    """``columns``: for each source token all the weights it got."""
    return beta * sum(math.log(min(sum(column), 1.0)) for column in columns)
