r"""Weights in fewer bytes, to be passed on: int8 with one scale per row, or half precision.

.. math:: s_i = \max_j |w_{ij}| / 127, \qquad q_{ij} = \mathrm{round}(w_{ij} / s_i), \qquad
          \hat w_{ij} = s_i \, q_{ij}

so that :math:`|w_{ij} - \hat w_{ij}| \le s_i / 2`, symmetric around an exact zero. A row is all
that has one first index: of an embedding a token's vector, of a map what makes one output. Vectors,
which are small, stay in float32. Computation is in float32 again: this is about size, not speed.
"""

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor

from regard.errors import ChoiceError, RangeError

from .tensors import place

Precision = Literal["int8", "float16", "float32"]
"""How weights are stored."""

SCALE = "/scale"
"""Behind the name of a matrix in int8: its scales."""
LARGEST = 127
"""Of an int8; -128 is not used, so that both signs reach equally far."""


def stored(weights: Mapping[str, Tensor], precision: Precision) -> dict[str, Tensor]:
    """Weights as they go into a file; tied ones stay one.

    Args:
        weights: a ``state_dict()``; what is no floating-point number is kept as it is.
        precision: of matrices if int8, else of all.

    Raises:
        RangeError: a weight that is infinite, no number, or too large for float16.
        ChoiceError: a name that ends like that of scales.
    """
    found: dict[str, Tensor] = {}
    known: dict[tuple[object, ...], dict[str, Tensor]] = {}
    for name, weight in weights.items():
        if name.endswith(SCALE):
            raise ChoiceError(f"a weight needs a name that does not end in {SCALE}, got {name!r}")
        where = place(weight)
        if where not in known:
            known[where] = _parts(name, weight, precision)
        found |= {f"{name}{suffix}": part for suffix, part in known[where].items()}
    return found


def restored(found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights as they came out of a file: matrices in int8 are float32 again, tied ones are one."""
    known: dict[tuple[object, ...], Tensor] = {}
    weights: dict[str, Tensor] = {}
    for name, weight in found.items():
        scale = found.get(f"{name}{SCALE}")
        if scale is not None:
            where = place(weight)
            if where not in known:
                known[where] = widened(weight, scale)
            weights[name] = known[where]
        elif not name.endswith(SCALE):
            weights[name] = weight
    return weights


def narrowed(weight: Tensor) -> tuple[Tensor, Tensor]:
    """A matrix in int8, and the scale of each row."""
    rows = weight.detach().float()
    reach = rows.abs().flatten(1).amax(1) if rows.numel() else rows.new_zeros(len(rows))
    scale = (reach / LARGEST).clamp_min(torch.finfo(torch.float32).tiny)
    scale = scale.reshape(-1, *[1] * (rows.dim() - 1))
    return (rows / scale).round().clamp(-LARGEST, LARGEST).to(torch.int8), scale


def widened(weight: Tensor, scale: Tensor) -> Tensor:
    """The matrix in float32 that the numbers stand for."""
    return weight.to(torch.float32).mul_(scale)


def _parts(name: str, weight: Tensor, precision: Precision) -> dict[str, Tensor]:
    """What is stored of one weight, by what its name ends with."""
    if not weight.is_floating_point():
        return {"": weight}
    _require_finite(name, weight)
    if precision == "int8" and weight.dim() > 1:
        numbers, scale = narrowed(weight)
        return {"": numbers, SCALE: scale}
    if precision != "float16":
        return {"": weight.detach().float()}
    half = weight.detach().half()
    if not half.isfinite().all():
        raise RangeError(
            f"float16 holds numbers up to 65504, and {name!r} reaches {weight.abs().max():.4g}; "
            "pack it as int8 or float32"
        )
    return {"": half}


def _require_finite(name: str, weight: Tensor) -> None:
    if not weight.isfinite().all():
        raise RangeError(
            f"a model to be passed on needs weights that are numbers, and {name!r} has some that "
            "are not; use an earlier checkpoint"
        )
