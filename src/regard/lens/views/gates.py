"""Gates as bars: how far each channel or position is let through."""

import torch

from regard.errors import ChoiceError

from ..pictures import Panel, PictureView
from ..record import Record


def gates(record: Record, *, module: str | None = None, model: str = "") -> list[PictureView]:
    """Every gate of a record: channels as bars, positions as a map.

    Raises:
        ChoiceError: there is none.
    """
    looks = [look for look in record.looks if look.kind == "gate"]
    looks = [look for look in looks if module is None or module in look.name]
    if not looks:
        raise ChoiceError(
            "this model has no gates, such as those of squeeze-and-excitation or CBAM; look at its "
            "heads or its text"
        )
    paper = torch.full((3, 96, 96), 255, dtype=torch.uint8)
    views = []
    for look in looks:
        gate = look.weigh().detach().float().cpu().clamp(min=0)[0]
        flat = gate.dim() < 2 or gate.shape[-2] == 1
        heat = gate.flatten() if flat else gate.reshape(-1, *gate.shape[-2:]).mean(dim=0)
        panel = Panel(look.name, bars=heat) if flat else Panel(look.name, heat=heat)
        views.append(PictureView(paper, [panel], title=look.name or "gate", model=model))
    return views
