"""Normalisers over the same scores: scaled dot products of the sentence with itself."""

import torch
from torch import Tensor

from regard import normalisers, weigh
from regard.lens.examples import sentence

from .example import shows


@shows("softmax")
def softmax() -> Tensor:
    """Every word gets some weight."""
    x = sentence()
    return weigh(x, x, normalise="softmax")


@shows("sparsemax")
def sparsemax() -> Tensor:
    """Words that fit badly get exactly nothing."""
    x = sentence()
    return weigh(x, x, normalise="sparsemax")


@shows("1.5-entmax")
def entmax15() -> Tensor:
    """Between softmax and sparsemax: some zeros, softer edges."""
    x = sentence()
    return weigh(x, x, normalise="entmax15")


@shows("α-entmax")
def entmax() -> Tensor:
    """α = 1.8, nearly sparsemax; α = 1 would be softmax."""
    x = sentence()
    return weigh(x, x, normalise=normalisers.Entmax(1.8))


@shows("ReLU")
def relu() -> Tensor:
    """Scores as they are, without the negative ones: rows do not sum to one."""
    x = sentence()
    return weigh(x, x, normalise="relu")


@shows("mean ReLU")
def mean_relu() -> Tensor:
    """The same, divided by the number of keys: a longer sequence does not weigh more."""
    x = sentence()
    return weigh(x, x, normalise="mean_relu")


@shows("mean")
def mean() -> Tensor:
    """Scores, here those of a Gaussian kernel, divided by the number of keys."""
    x = sentence()
    return weigh(x, x, score="gaussian", normalise="mean")


@shows("sigmoid")
def sigmoid() -> Tensor:
    """Each pair for itself: a score of zero is a weight of one half."""
    x = sentence()
    return weigh(x, x, normalise="sigmoid")


@shows("proportional")
def proportional() -> Tensor:
    """Scores, here those of a Gaussian kernel, divided by their sum."""
    x = sentence()
    return weigh(x, x, score="gaussian", normalise="proportional")


@shows("top-k")
def top_k() -> Tensor:
    """The two best keys of every query; keys that are equally good all stay."""
    x = sentence()
    return weigh(x, x, normalise=normalisers.TopK(2))


@shows("hard (one-hot)")
def hard() -> Tensor:
    """All weight on the best key, the first one if two are alike."""
    x = sentence()
    return weigh(x, x, normalise="hard")


@shows("sampled")
def sampled() -> Tensor:
    """All weight on one key, drawn by the softmax; another seed, another map."""
    x = sentence()
    generator = torch.Generator().manual_seed(2)
    return weigh(x, x, normalise=normalisers.Sample(generator))
