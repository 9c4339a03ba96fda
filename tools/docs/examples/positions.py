"""Positions: weights over the sentence once its words know where they stand."""

from torch import Tensor

from regard import positions, scores, weigh
from regard.lens.examples import sentence

from .example import sharper, shows


@shows("sinusoidal positions")
def sinusoidal() -> Tensor:
    """Added to the words: the two *the* are no longer alike, and neighbours are nearer."""
    x = positions.Sinusoidal(8)(sentence())
    return weigh(x, x)


@shows("learned positions")
def learned() -> Tensor:
    """A table, here drawn at random, added to the words."""
    x = sharper(positions.Learned(6, 8), 40.0)(sentence())
    return weigh(x, x)


@shows("linear positions")
def linear() -> Tensor:
    """A direction, here drawn at random, along which words move step by step."""
    x = sharper(positions.Linear(8), 10.0)(sentence())
    return weigh(x, x)


@shows("rotary positions")
def rotary() -> Tensor:
    """Queries and keys turned by their positions: the farther, the less alike."""
    x = positions.Rotary(8).rotate(sentence())
    return weigh(x, x)


@shows("ALiBi")
def alibi() -> Tensor:
    """A penalty that grows with the distance, steep in the first head, flatter in each that
    follows; four of eight.
    """
    x = sentence().expand(8, 6, 8)
    position = positions.Alibi(8)
    return weigh(x, x, score=scores.ScaledDot() + position.term(), heads=slice(0, 4))


@shows("relative positions (Shaw)")
def shaw() -> Tensor:
    """A vector for each distance up to two, here drawn at random, added to the keys."""
    x = sentence()
    position = sharper(positions.ShawKeys(8, reach=2), 50.0)
    return weigh(x, x, score=scores.ScaledDot() + position.term())


@shows("relative positions (T5)")
def t5() -> Tensor:
    """A number for each bucket of distances, here drawn at random, one row of them per head."""
    x = sentence().expand(2, 6, 8)
    position = sharper(positions.T5Bias(2, num_buckets=8, max_distance=6), 50.0)
    return weigh(x, x, score=scores.ScaledDot() + position.term())


@shows("relative bias, clipped")
def relative_bias() -> Tensor:
    """A number for each distance up to two, here drawn at random."""
    x = sentence().expand(2, 6, 8)
    position = sharper(positions.RelativeBias(2, reach=2), 50.0)
    return weigh(x, x, score=scores.ScaledDot() + position.term())


@shows("two-dimensional positions")
def grid() -> Tensor:
    """The words in two lines of three: half of the features say which line, half which place."""
    x = positions.Grid2d(2, 3, 8)(sentence())
    return weigh(x, x)
