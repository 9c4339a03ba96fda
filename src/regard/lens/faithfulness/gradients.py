"""Gradients of weights on the fused path: a product of two vectors for every pair."""

from collections.abc import Sequence

import torch

from regard.errors import ShapeError
from regard.types import Float, Tensor

ROWS = 256
"""Queries at a time."""


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
