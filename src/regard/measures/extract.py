"""From attention weights to links between words, by a rule, and which head aligns best."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import torch
from pydantic import Field

from regard.config import Config
from regard.data.alignment import Side
from regard.data.pairs import Links
from regard.errors import InputError, RangeError, ShapeError
from regard.types import Bool, Float, Tensor

from .alignment import AlignmentScore, Gold, sentence_score


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


def word_links(
    weights: Float[Tensor, "T S"],
    *,
    source: Side,
    target: Side,
    rule: Rule | None = None,
    shift: int = 0,
) -> Links:
    """Links (source word, target word) out of the weights of one sentence.

    Args:
        weights: how much each target token looks at each source token; what stands behind the
            tokens of a text, ``eos`` and padding, is left out.
        source: tokens and words of the source.
        target: tokens and words of the target.
        rule: which words are linked; without it :class:`Argmax`.
        shift: see :func:`word_weights`.

    Raises:
        ShapeError: fewer rows or columns than tokens.
    """
    between = word_weights(weights, source=source, target=target, shift=shift)
    return as_links((rule or Argmax()).link(between))


def word_weights(
    weights: Float[Tensor, "*B T S"], *, source: Side, target: Side, shift: int = 0
) -> Float[Tensor, "*B J I"]:
    r"""How much each target word looks at each source word, on the CPU in double precision.

    .. math:: w_{ji} = \frac{1}{|T_j|} \sum_{t \in T_j} \sum_{s \in S_i} a_{t + \text{shift}, s}

    What a target word looks at is the mean over its tokens T_j, what a source word gets is the
    sum over its tokens S_i. A word that no token touches has weight 0.

    Args:
        weights: row t is of the step that predicts target token t; ``eos`` and padding behind the
            tokens are left out.
        source: tokens and words of the source.
        target: tokens and words of the target.
        shift: 0 takes the step that predicts a token, 1 the step after it, which reads the token
            and so knows it; Chen et al. 2020 (https://arxiv.org/abs/2004.14837). The last token
            then needs the row of ``eos``.

    Raises:
        RangeError: a negative shift.
        ShapeError: fewer rows or columns than tokens.
    """
    columns = len(source.pieces)
    return _by_word(weights, source, target, shift)[..., :columns] @ _belongs(source).T


def word_shares(
    weights: Float[Tensor, "*B T S"], *, source: Side, target: Side
) -> Float[Tensor, "*B J I1"]:
    r"""Where all the weight of each target word lies: on the source words, and last on none.

    .. math:: w_{ji} = \frac{1}{|T_j|} \sum_{t \in T_j} \sum_{s \in S_i} \frac{a_{ts}}{n_s}

    A source token that touches n_s words is shared out among them, one that touches none, such as
    ``eos``, belongs to the last column: a row has the sum of the mean row of its tokens, nothing
    is left out or counted twice. :func:`word_weights`, which links are made of, counts a token for
    every word it touches.

    Args:
        weights: row t is of the step that predicts target token t; all columns count.
        source: tokens and words of the source.
        target: tokens and words of the target.

    Raises:
        ShapeError: fewer rows or columns than tokens.
    """
    tokens = _by_word(weights, source, target, shift=0)
    belongs = torch.zeros(len(source.words), tokens.shape[-1], dtype=torch.float64)
    belongs[:, : len(source.pieces)] = _belongs(source)
    words = belongs.sum(dim=0)
    shares = torch.cat([belongs / words.clamp(min=1), (words == 0)[None]])
    return tokens @ shares.T


def as_links(linked: Tensor) -> Links:
    """Links (source word, target word) out of a table whose rows are target words."""
    return frozenset((i, j) for j, i in linked.nonzero().tolist())


def _by_word(
    weights: Float[Tensor, "*B T S"], source: Side, target: Side, shift: int
) -> Float[Tensor, "*B J S"]:
    """What each target word looks at: the mean over its tokens; on the CPU in double precision."""
    if shift < 0:
        raise RangeError(f"shift must be 0 or more, got {shift}")
    rows, columns = len(target.pieces), len(source.pieces)
    if weights.shape[-2] < rows + shift or weights.shape[-1] < columns:
        raise ShapeError(
            f"weights of {rows} target and {columns} source tokens with shift {shift} need at "
            f"least {rows + shift} rows and {columns} columns, got {tuple(weights.shape)}"
        )
    tokens = weights[..., shift : rows + shift, :].detach().to("cpu", torch.float64)
    looking = _belongs(target)
    return (looking / looking.sum(dim=-1, keepdim=True).clamp(min=1)) @ tokens


def _belongs(text: Side) -> Float[Tensor, "W N"]:
    """1 where a token touches a word."""
    found = torch.zeros(len(text.words), len(text.pieces), dtype=torch.float64)
    for word, tokens in enumerate(text.touching):
        found[word, tokens.start : tokens.stop] = 1
    return found


class Head(NamedTuple):
    """Where an alignment is taken from."""

    layer: int
    """Counted from 0."""
    head: int
    """Counted from 0."""
    shift: int = 0
    """Steps behind the one that predicts a token; see :func:`word_weights`."""


class HeadWeights(NamedTuple):
    """A sentence pair as all heads of a model look at it, and as people do."""

    weights: Float[Tensor, "L H T S"]
    source: Side
    target: Side
    gold: Gold


def head_scores(
    sentences: Iterable[HeadWeights], *, rule: Rule | None = None, shifts: Sequence[int] = (0,)
) -> dict[Head, AlignmentScore]:
    """The alignment score of every head over all sentences, one sentence in memory at a time.

    Args:
        sentences: weights and gold.
        rule: which words are linked; without it :class:`Argmax`.
        shifts: each is tried; ``(0, 1)`` finds out whether a model aligns a token when it
            predicts it or when it reads it.

    Raises:
        InputError: no sentence.
        ShapeError: sentences with different numbers of layers or heads.
    """
    scores: dict[Head, AlignmentScore] = {}
    for sentence in sentences:
        found = _of_sentence(sentence, rule or Argmax(), shifts)
        if scores and scores.keys() != found.keys():
            raise ShapeError(
                f"all sentences need weights of the same heads, got {len(scores)} (layer, head, "
                f"shift) before and {len(found)} of weights {tuple(sentence.weights.shape)}"
            )
        scores = {head: scores.get(head, AlignmentScore()) + found[head] for head in found}
    if not scores:
        raise InputError("a search for the best head needs sentences with gold links, got none")
    return scores


def best_head(scores: Mapping[Head, AlignmentScore]) -> Head:
    """The head with the lowest error rate; of equal ones the first layer, then the first head."""
    return min(sorted(scores), key=lambda head: scores[head].aer)


def _of_sentence(
    sentence: HeadWeights, rule: Rule, shifts: Sequence[int]
) -> dict[Head, AlignmentScore]:
    weights, source, target, gold = sentence
    found: dict[Head, AlignmentScore] = {}
    for shift in shifts:
        linked = rule.link(word_weights(weights, source=source, target=target, shift=shift))
        for layer, heads in enumerate(linked):
            for head, table in enumerate(heads):
                found[Head(layer, head, shift)] = sentence_score(as_links(table), gold)
    return found
