"""Scores over the sentence; what a weight needs is drawn at random."""

import torch
from torch import Tensor

from regard import scores, weigh
from regard.lens.examples import sentence

from .example import shows


@shows("content (cosine)")
def cosine() -> Tensor:
    """Only directions count: *cat* and *mouse* are near, lengths are not."""
    x = sentence()
    return weigh(x, x, score=scores.Cosine(scale=4.0))


@shows("additive")
def additive() -> Tensor:
    """A hidden layer of sixteen units, drawn at random, scores every pair."""
    x = sentence()
    v, query_weight, key_weight = torch.randn(16), torch.randn(16, 8), torch.randn(16, 8)
    return weigh(x, x, score=scores.Additive(v / 2, query_weight, key_weight))


@shows("concat")
def concat() -> Tensor:
    """One matrix, drawn at random, over query and key side by side."""
    x = sentence()
    v, weight = torch.randn(16), torch.randn(16, 16)
    return weigh(x, x, score=scores.Concat(v / 2, weight))


@shows("gated additive")
def gated_additive() -> Tensor:
    """Eight hidden units, each with a gate of its own, over projections drawn at random."""
    x = sentence()
    query, key = x @ torch.randn(8, 16), x @ torch.randn(8, 16)
    return weigh(query, key, score=scores.GatedAdditive(torch.randn(8)))


@shows("location")
def location() -> Tensor:
    """A row of weights depends on the query alone: whatever the keys say, both *the* look at the
    same places.
    """
    x = sentence()
    return weigh(x, x, score=scores.Location(torch.randn(6, 8)))


@shows("general")
def general() -> Tensor:
    """A matrix, drawn at random, stands between query and key."""
    x = sentence()
    return weigh(x, x, score=scores.General(torch.randn(8, 8) / 2))


@shows("dot")
def dot() -> Tensor:
    """Words with features in common look at each other, long vectors most of all."""
    x = sentence()
    return weigh(x, x, score=scores.Dot())


@shows("scaled dot")
def scaled_dot() -> Tensor:
    """The dot product divided by √8: the same order, softer."""
    x = sentence()
    return weigh(x, x, score=scores.ScaledDot())


@shows("Euclidean")
def euclidean() -> Tensor:
    """The nearer the vectors, the larger the weight."""
    x = sentence()
    return weigh(x, x, score=scores.Euclidean())


@shows("Gaussian kernel")
def gaussian() -> Tensor:
    """In proportion to a bell around the query."""
    x = sentence()
    return weigh(x, x, score=scores.Gaussian(width=1.0), normalise="proportional")


@shows("boxcar kernel")
def boxcar() -> Tensor:
    """All words within 1.6 of the query, and only those, count the same."""
    x = sentence()
    return weigh(x, x, score=scores.Boxcar(width=1.6), normalise="proportional")


@shows("Epanechnikov kernel")
def epanechnikov() -> Tensor:
    """A weight that falls with the distance and ends at 2.4."""
    x = sentence()
    return weigh(x, x, score=scores.Epanechnikov(width=2.4), normalise="proportional")
