"""Scores over the sentence; those with parameters have learned to look from French at English."""

from torch import Tensor

from regard import scores, weigh
from regard.lens.examples import sentence

from .example import Map, shows
from .french import placed
from .learned import learned
from .trained import states, trained


@shows("content (cosine)")
def cosine() -> Tensor:
    """Only directions count: *cat* and *mouse* are near, lengths are not."""
    x = sentence()
    return weigh(x, x, score=scores.Cosine(scale=4.0))


@shows("additive")
def additive() -> Map:
    """Trained: a hidden layer of 256 units of the translator *en-fr-bahdanau* scores every pair of
    a state of its decoder, at the left the token it writes next, and a state of its encoder.
    """
    reading = trained("en-fr-bahdanau")
    query, key = states(reading)
    layer = reading.model.attention
    score = scores.Additive(layer.v, layer.query_proj.weight, layer.key_proj.weight)
    weights = weigh(query, key, score=score)
    return Map(weights, queries=reading.target, keys=reading.source)


@shows("concat")
def concat() -> Map:
    """One matrix over query and key side by side, which has learned, from the links of this pair of
    sentences, what translates what.
    """
    french, english = placed()
    return learned(
        lambda v, weight: weigh(french, english, score=scores.Concat(v, weight)),
        v=(16,),
        weight=(16, 16),
    )


@shows("gated additive")
def gated_additive() -> Map:
    """Eight hidden units, each with a gate of its own, over projections: all learned from the links
    of this pair of sentences.
    """
    french, english = placed()
    return learned(
        lambda v, q, k: weigh(french @ q, english @ k, score=scores.GatedAdditive(v)),
        v=(8,),
        q=(8, 16),
        k=(8, 16),
    )


@shows("location")
def location() -> Map:
    """A row of weights depends on the query alone, whatever the keys say: learned from the links of
    this pair of sentences is which *place* each French word looks at.
    """
    french, english = placed()
    return learned(
        lambda weight: weigh(french, english, score=scores.Location(weight)),
        weight=(6, 8),
    )


@shows("general")
def general() -> Map:
    """A matrix between query and key, learned from the links of this pair of sentences."""
    french, english = placed()
    return learned(
        lambda weight: weigh(french, english, score=scores.General(weight)),
        weight=(8, 8),
    )


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
