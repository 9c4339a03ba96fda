"""Rules that turn attention weights between words into alignment links."""

from abc import abstractmethod

import torch
from pydantic import Field

from regard.config import Config
from regard.types import Bool, Float, Tensor


class Rule(Config):
    """Which words are linked, given how much each target word looks at each source word."""

    @abstractmethod
    def link(self, weights: Float[Tensor, "*B J I"]) -> Bool[Tensor, "*B J I"]:
        """Links between target words (rows) and source words (columns)."""


class Argmax(Rule):
    """Every target word with the source word it looks at most; the first of equal ones."""

    above: float = Field(default=0.0, ge=0.0)
    """A word whose highest weight is not above this gets no link."""

    def link(self, weights: Float[Tensor, "*B J I"]) -> Bool[Tensor, "*B J I"]:
        """One link per row at most."""
        return _highest(weights, dim=-1) & (weights > self.above)


class Intersection(Rule):
    """Two words that look at each other: each has its highest weight at the other.

    Jalili Sabet et al. 2020 (https://arxiv.org/abs/2004.08728), there on similarities.
    """

    above: float = Field(default=0.0, ge=0.0)
    """A weight that is not above this makes no link."""

    def link(self, weights: Float[Tensor, "*B J I"]) -> Bool[Tensor, "*B J I"]:
        """One link per row and per column at most."""
        mutual = _highest(weights, dim=-1) & _highest(weights, dim=-2)
        return mutual & (weights > self.above)


class Threshold(Rule):
    """Every pair of words with more than a certain weight."""

    above: float = Field(ge=0.0)
    """What a weight must exceed."""

    def link(self, weights: Float[Tensor, "*B J I"]) -> Bool[Tensor, "*B J I"]:
        """Any number of links per row."""
        return weights > self.above


def _highest(weights: Float[Tensor, "*B J I"], *, dim: int) -> Bool[Tensor, "*B J I"]:
    """True at the first maximum along ``dim``."""
    found = torch.zeros_like(weights, dtype=torch.bool)
    if not weights.numel():
        return found
    return found.scatter(dim, weights.argmax(dim, keepdim=True), True)
