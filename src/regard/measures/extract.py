"""From attention weights between tokens to links between words."""

import torch

from regard.data.alignment import Side
from regard.data.pairs import Links
from regard.errors import RangeError, ShapeError
from regard.types import Float, Tensor

from .rules import Argmax, Rule


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
