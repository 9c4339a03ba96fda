"""Gradients of weights on the fused path: a product of two vectors for every pair."""

from collections.abc import Sequence

import torch

from regard.errors import ChoiceError, ShapeError
from regard.types import Float, Tensor

from ..look import Look
from ..reading import heads_first, vectors_of

ROWS, TILE = 256, 64
"""Queries at a time, of maps that are there and of those that are not."""


def weight_gradients(
    gradient: Float[Tensor, "H Q E"], value: Float[Tensor, "H K E"]
) -> Float[Tensor, "H Q K"]:
    r"""∂y/∂α of every pair, without an eager run.

    .. math:: c_i = \sum_j \alpha_{ij} v_j \;\Rightarrow\;
              \frac{\partial y}{\partial \alpha_{ij}} = \Bigl\langle
              \frac{\partial y}{\partial c_i}, v_j \Bigr\rangle

    Args:
        gradient: ∂y/∂c of some queries, from one backward pass.
        value: what was pooled.
    """
    return gradient @ value.to(gradient).transpose(-1, -2)


def grad_attention(
    weights: Float[Tensor, "H Q K"],
    gradient: Float[Tensor, "Hg Qg E"],
    value: Float[Tensor, "H K E"],
) -> Float[Tensor, "Q K"]:
    r"""The weights by what the output gains from them, heads taken together.

    .. math:: \bar A = \tfrac1H \sum_h (\nabla A^h \odot A^h)^+

    Chefer et al. 2021, Eq. 5 (https://arxiv.org/abs/2103.15679). A ⊙ ∇A is also the first-order
    effect of cutting a link. Rows at a time.

    Args:
        weights: of one layer.
        gradient: ∂y/∂c of the same layer: pairing layers with each other's gradients is the usual
            mistake, since a backward pass meets them in reverse.
        value: what was pooled.

    Raises:
        ShapeError: gradients of another layer's shape.
    """
    if gradient.shape[:-1] != weights.shape[:-1]:
        raise ShapeError(
            f"weights {tuple(weights.shape)} need gradients of the same heads and queries, got "
            f"{tuple(gradient.shape)}"
        )
    pairs = zip(weights.split(ROWS, 1), gradient.split(ROWS, 1), strict=True)
    return torch.cat(
        [(own * weight_gradients(g, value).to(own)).clamp(min=0).mean(dim=0) for own, g in pairs]
    )


def looked_through(
    look: Look,
    gradient: Float[Tensor, "Hg Qg E"],
    start: Float[Tensor, " Q"],
    *,
    sentence: int = 0,
    tile: int = TILE,
) -> Float[Tensor, " K"]:
    r"""Rows of :func:`grad_attention` taken together, and neither them nor any map kept.

    .. math:: s^\top \bar A, \qquad \bar A = \tfrac1H \sum_h (\nabla A^h \odot A^h)^+

    Weights are computed again from queries and keys, ``tile`` rows at a time: O(K) memory beside
    them, at any length, of a model that runs fused. A one-hot ``start`` gives one row.

    Args:
        look: of one layer, verified.
        gradient: ∂y/∂c of the same look, of one sentence.
        start: how much each query counts; those of weight zero cost nothing.
        sentence: which of the batch.
        tile: queries at a time.

    Raises:
        ShapeError: gradients of another look's shape.
        ChoiceError: a look without values.
    """
    value = vectors_of(look).get("value")
    if value is None:
        raise ChoiceError(f"{look.name!r} told no values, so its weights have no gradient to read")
    if gradient.shape[-2] != look.num_queries or gradient.shape[0] != value.shape[1]:
        raise ShapeError(
            f"look {look.name!r} of shape {look.shape} needs gradients of the same heads and "
            f"queries, got {tuple(gradient.shape)}"
        )
    found = gradient.new_zeros(look.num_keys)
    for at in range(0, look.num_queries, tile):
        rows = at + start[at : at + tile].nonzero().flatten()
        if len(rows):
            weights = heads_first(look.weigh(_index(rows)))[sentence]  # (H, r, K)
            steep = weight_gradients(gradient[:, rows], value[sentence])
            gained = steep.mul_(weights).clamp_(min=0).mean(dim=0)
            found += start[rows].to(gained) @ gained
    return found


def _index(rows: Tensor) -> slice | list[int]:
    """Neighbours as a slice, which copies nothing."""
    first, last = int(rows[0]), int(rows[-1]) + 1
    return slice(first, last) if last - first == len(rows) else rows.tolist()


def relevance(
    maps: Sequence[Float[Tensor, "N N"]], start: Float[Tensor, "r N"]
) -> Float[Tensor, "r N"]:
    r"""Rows of the relevance of a stack of self attentions, from the last layer to the first.

    .. math:: R_0 = I, \quad R \leftarrow R + \bar A R \;\Rightarrow\;
              e_t^\top R = e_t^\top (I + \bar A_L) \cdots (I + \bar A_1)

    Chefer et al. 2021, Eq. 6. Rows times maps, never a product of maps.

    Args:
        maps: Ā of every layer, the first layer first.
        start: rows to begin with, one-hot for a query.
    """
    found = start
    for one in reversed(maps):
        found = found + found @ one.to(found)
    return found


def cross_relevance(
    source: Sequence[Float[Tensor, "S S"]],
    target: Sequence[Float[Tensor, "T T"]],
    cross: Sequence[Float[Tensor, "T S"]],
) -> Float[Tensor, "T S"]:
    r"""The relevance of source positions to target positions, through every layer of a decoder.

    .. math:: R^{sq} \leftarrow R^{sq} + (\bar R^{ss})^\top \bar A\, \bar R^{qq}, \qquad
              \bar R = \text{rownorm}(R - I) + I

    Chefer et al. 2021, Eq. 8 to 11, with the target as s and the source as q: their transpose
    stands where theirs does. A layer's self attention updates both relevances of the decoder before
    its cross attention adds to them.

    Args:
        source: Ā of the encoder's layers.
        target: Ā of the decoder's self attentions.
        cross: Ā of its cross attentions.
    """
    encoder = relevance(source, _eye(cross[0].shape[-1], cross[0]))
    normed = _normed(encoder)
    own = _eye(cross[0].shape[-2], cross[0])
    found = torch.zeros_like(cross[0])
    for within, between in zip(target, cross, strict=True):
        own, found = own + within @ own, found + within @ found
        found = found + _normed(own).T @ between @ normed
    return found


def _eye(count: int, like: Tensor) -> Tensor:
    return torch.eye(count, dtype=like.dtype, device=like.device)


def _normed(relevances: Float[Tensor, "N N"]) -> Float[Tensor, "N N"]:
    eye = _eye(len(relevances), relevances)
    beyond = relevances - eye
    total = beyond.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, beyond / total.clamp(min=1e-12), beyond) + eye
