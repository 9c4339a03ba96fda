"""Where a model of pictures looked, as heat over its frame."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import nn

from regard.types import Float, Tensor

Looks = Mapping[str, Float[Tensor, "B y x"]]
"""Maps by the name of the module."""


@contextmanager
def looking(model: nn.Module, wanted: bool) -> Iterator[dict[str, Tensor]]:
    """Within, a model runs; behind, there is a map for each of its gates over places.

    A model of queries says by ``look`` which module they look by: its weights are (B, Q, K).

    Args:
        model: which may have none.
        wanted: whether anybody wants to know.
    """
    from regard.lens import capture
    from regard.lens.capture import attention_modules

    found: dict[str, Tensor] = {}
    if not wanted or not attention_modules(model):
        yield found
        return
    with capture(model) as record:
        yield found
    found |= _maps(record)
    name = getattr(model, "look", None)
    if name is not None:
        found[name] = record[name].looks[-1].weigh().mean(dim=1).float().cpu()


def told(name: str) -> str:
    """What people call a gate: ``pyramid.stages.1.0.attention`` is ``stage 2, block 1``."""
    match name.removesuffix(".attention").split("."):
        case ["pyramid", "stages", stage, block, *rest]:
            return ", ".join([f"stage {int(stage) + 1}", f"block {int(block) + 1}", *rest])
        case ["merge", *rest]:
            return ", ".join(["all stages", *rest])
        case ["gates", level]:
            return f"skip {int(level) + 1}"
    return name


def _maps(record: Any) -> dict[str, Tensor]:
    """Those with one number for each place of a grid."""
    maps = {}
    for name, entry in record.items():
        weights = entry.looks[-1].weigh()
        if weights.dim() == 4 and weights.shape[1] == 1 and weights.shape[2] > 1:
            maps[name] = weights[:, 0].float().cpu()  # (B, y, x)
    return maps
