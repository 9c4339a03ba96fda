"""What values make of weights: their norms, and what each key contributes to an output."""

from collections.abc import Iterator

import torch

from regard.types import Float, Tensor

ROWS = 64
"""Queries at a time."""


def written(
    value: Float[Tensor, "H K E"], output: Float[Tensor, "O HE"], gain: Tensor | None = None
) -> Float[Tensor, "H K O"]:
    r"""What each head would write if it looked at one key alone.

    .. math:: f^h(x_j) = \gamma (I - \tfrac1d 1 1^\top)\, W_O^h v_j^h

    Args:
        value: of every head.
        output: the matrix of the output projection, heads side by side.
        gain: γ of a layer norm behind the residual path, which is linear but for the length of the
            row; nothing is centred without it.
    """
    heads, _, width = value.shape
    blocks = output.unflatten(-1, (heads, width))  # (O, H, E)
    found = torch.einsum("hke,ohe->hko", value, blocks.to(value))
    return found if gain is None else _centred(found) * gain


def value_norms(
    weights: Float[Tensor, "H Q K"],
    value: Float[Tensor, "H K E"],
    output: Float[Tensor, "O HE"],
    *,
    gain: Float[Tensor, " O"] | None = None,
    residual: Float[Tensor, "K O"] | None = None,
) -> Float[Tensor, "Q K"]:
    r"""How long what each key gives to each query is, all heads together.

    .. math:: N_{ij} = \Bigl\| \sum_h \alpha^h_{ij} f^h(x_j) \Bigr\|, \qquad
              N_{ij}^2 = a_{ij}^\top G_j\, a_{ij}, \quad G_j = F_j F_j^\top

    Kobayashi et al. 2020 (https://arxiv.org/abs/2004.10102), with the residual path and the norm
    behind it their 2021 sequel (https://arxiv.org/abs/2109.07152). a_ij are the weights of all
    heads
    and F_j what they write of key j, so that K·H² numbers stand in for a tensor (H, Q, K, O).

    Args:
        weights: of every head.
        value: likewise.
        output: the matrix of the output projection.
        gain: of a norm behind the residual path.
        residual: what passes beside attention, which query i adds to its own key i.
    """
    rows = written(value, output, gain)  # (H, K, O)
    heads = weights
    if residual is not None:
        beside = residual if gain is None else _centred(residual) * gain
        rows = torch.cat([rows, beside.to(rows).unsqueeze(0)])
        own = torch.eye(*weights.shape[-2:], dtype=weights.dtype, device=weights.device)
        heads = torch.cat([weights, own.unsqueeze(0)])
    gram = torch.einsum("hko,gko->khg", rows, rows)  # (K, H, H)
    found = [
        torch.einsum("hqk,khg,gqk->qk", some, gram, some).clamp(min=0).sqrt()
        for some in heads.to(gram).split(ROWS, dim=1)
    ]
    return torch.cat(found)


def contributions(
    weights: Float[Tensor, "H r K"],
    value: Float[Tensor, "H K E"],
    output: Float[Tensor, "O HE"],
    *,
    rows: Tensor,
    gain: Float[Tensor, " O"] | None = None,
    residual: Float[Tensor, "K O"] | None = None,
) -> Iterator[Float[Tensor, "K O"]]:
    r"""T_ij of some queries, one query at a time: :math:`\sum_j T_{ij}` is what the block writes.

    Args:
        weights: of the queries in ``rows``.
        value: of every head.
        output: the matrix of the output projection.
        rows: which queries these are.
        gain: of a norm behind the residual path; the length of the row is not divided by.
        residual: what passes beside attention.
    """
    wrote = written(value, output, gain)
    beside = None if residual is None else residual if gain is None else _centred(residual) * gain
    for place, query in enumerate(rows.tolist()):
        found = torch.einsum("hk,hko->ko", weights[:, place].to(wrote), wrote)
        if beside is not None:
            found = found.index_add(0, torch.tensor([query]), beside[query : query + 1].to(found))
        yield found


def alti(
    weights: Float[Tensor, "H r K"],
    value: Float[Tensor, "H K E"],
    output: Float[Tensor, "O HE"],
    *,
    rows: Tensor,
    gain: Float[Tensor, " O"] | None = None,
    residual: Float[Tensor, "K O"] | None = None,
) -> Float[Tensor, "r K"]:
    r"""How much nearer each key's contribution brings zero to what a query writes.

    .. math:: c_{ij} = \max(0, \|y_i\|_1 - \|y_i - T_{ij}\|_1) \Big/ \sum_k c_{ik}

    Ferrando et al. 2022 (https://arxiv.org/abs/2203.04212). Row by row, O(K·O) memory.

    Args:
        weights: of the queries in ``rows``.
        value: of every head.
        output: the matrix of the output projection.
        rows: which queries these are.
        gain: of a norm behind the residual path.
        residual: what passes beside attention.
    """
    found = []
    for parts in contributions(weights, value, output, rows=rows, gain=gain, residual=residual):
        whole = parts.sum(dim=0)
        nearer = whole.abs().sum() - (whole - parts).abs().sum(dim=-1)
        found.append(nearer.clamp(min=0))
    table = torch.stack(found)
    return table / table.sum(dim=-1, keepdim=True).clamp(min=1e-12)


def _centred(x: Tensor) -> Tensor:
    return x - x.mean(dim=-1, keepdim=True)
