"""Attention as pooling."""

from torch import Tensor

from regard import nn, weigh
from regard.lens import capture
from regard.lens.examples import sentence

from .example import Map, sharper, shows


@shows("attention pooling")
def attention_pooling() -> Map:
    """Three learned queries, here drawn at random, pool six words into three vectors."""
    x = sentence()
    pooling = sharper(nn.AttentionPooling(8, num_queries=3), 4.0)
    with capture(pooling) as record:
        pooling(x)
    return Map(record[""].weights, queries=["query 0", "query 1", "query 2"])


@shows("Nadaraya-Watson regression")
def nadaraya_watson() -> Tensor:
    """The values of the words are averaged in proportion to a Gaussian of width 1 around each of
    them.
    """
    x = sentence()
    regression = nn.NadarayaWatson("gaussian", width=1.0)
    with capture(regression) as record:
        regression(x, x, x)
    return record[""].weights


@shows("attention without parameters")
def without_parameters() -> Tensor:
    """The weights of softmax(X Xᵀ) X: how alike the words are, and nothing else."""
    x = sentence()
    return weigh(x, x, score="dot")
