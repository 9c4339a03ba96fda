"""What links are made of beside weights: what each value gives, and what the prediction gains."""

from typing import Literal

import torch
from torch import nn

from regard.errors import ChoiceError
from regard.lens import Look, Record
from regard.lens.reading import heads_first, vectors_of
from regard.types import Float, Tensor

LinkScores = Literal["attention", "value-norm", "gradient"]
"""What every head of every layer is read by."""


def link_scores(
    record: Record, model: nn.Module, by: LinkScores, target: Float[Tensor, ""] | None = None
) -> Float[Tensor, "B L H T S"]:
    r"""How much each target token takes from each source token, in every head of every layer.

    .. math:: \alpha_{ij}, \qquad \alpha_{ij} \|W_O^h v_j\|, \qquad
              \alpha_{ij} \langle \partial y / \partial c_i, v_j \rangle^+

    Weights; with the length of what they carry (Kobayashi et al. 2020,
    https://arxiv.org/abs/2004.10102); or with what the prediction gains (Chefer et al. 2021,
    https://arxiv.org/abs/2103.15679), without an eager run.

    Args:
        record: of the attention to the source, of each layer.
        model: what they are in.
        by: which of the three.
        target: y, ln p of what was predicted; for gradients, of a capture with its graph.

    Raises:
        ChoiceError: a module without values, or without a projection behind its heads.
    """
    gradients = record.gradients(target, retain_graph=False) if target is not None else {}
    maps = []
    for name in record:
        look = record[name].looks[0]
        weights = heads_first(look.weigh())
        if by == "value-norm":
            weights = weights * _norms(look, model.get_submodule(name))
        elif by == "gradient":
            gradient = heads_first(gradients[name][0])
            weights = weights * (gradient @ _value(look).mT).clamp(min=0)
        maps.append(weights)
    return torch.stack(maps, dim=1).detach()


def _norms(look: Look, module: nn.Module) -> Float[Tensor, "B H 1 S"]:
    """How long what each head writes of each key is."""
    value = _value(look)
    output = getattr(getattr(module, "output_proj", None), "weight", None)
    heads, width = value.shape[1], value.shape[-1]
    if output is None or output.shape[1] != heads * width:
        raise ChoiceError(f"value norms need a projection behind the heads, {look.name!r} has none")
    blocks = output.detach().unflatten(-1, (heads, width))  # (O, H, E)
    return torch.einsum("bhse,ohe->bhso", value, blocks).norm(dim=-1).unsqueeze(-2)


def _value(look: Look) -> Float[Tensor, "B H S E"]:
    found = vectors_of(look).get("value")
    if found is None:
        raise ChoiceError(f"{look.name!r} told no values, take its weights")
    return found.detach()
