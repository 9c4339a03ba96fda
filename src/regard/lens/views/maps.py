"""Maps of weights as views: words against words, every head at a glance."""

from collections.abc import Iterator

import torch

from regard.types import Float, Tensor

from ..alignments import AlignmentView
from ..look import Look
from ..pictures import Panel, PictureView
from ..record import Record
from .choosing import Head, chosen, every_head, weights_of

SIDE = 96
"""Pixels of the paper behind the map of a head."""


def alignments(
    record: Record,
    *,
    module: str | None = None,
    layer: int = -1,
    head: Head = "mean",
    model: str = "",
    force: bool = False,
) -> list[AlignmentView]:
    """Which word looked at which: attention to the source, or else to the text itself.

    Args:
        record: of a capture, its tokens read.
        module: a part of the name of the modules that are meant.
        layer: counted from 0, or from the last backwards.
        head: which head of it.
        model: the name of what looked.
        force: whether to draw what is not verified, too.
    """
    [look] = chosen(record, cross=True, module=module, layer=layer)
    return [view_of(look, weights_of(look, head, force=force), title_of(look, head), model)]


def matrices(
    record: Record,
    *,
    module: str | None = None,
    layer: int = -1,
    head: Head | None = None,
    model: str = "",
    force: bool = False,
) -> list[AlignmentView]:
    """The maps of a layer, of one head or of each, with their numbers; as :func:`alignments`."""
    [look] = chosen(record, module=module, layer=layer)
    if head is not None:
        return [view_of(look, weights_of(look, head, force=force), title_of(look, head), model)]
    maps = every_head(look, force=force)
    return [view_of(look, one, title_of(look, h), model) for h, one in enumerate(maps)]


def heads(
    record: Record, *, module: str | None = None, model: str = "", force: bool = False
) -> list[PictureView]:
    """Every head of every layer as a small map: rows look, columns are looked at."""
    views = []
    for look in chosen(record, module=module) + _across(record, module):
        panels = [
            Panel(f"head {number}", heat=one.clamp(min=0))
            for number, one in enumerate(every_head(look, force=force))
        ]
        views.append(PictureView(_paper(look), panels, title=_called(look), model=model))
    return views


def _across(record: Record, module: str | None) -> list[Look]:
    """Attention to another sequence, behind that to itself, where there are both."""
    found = [look for look in record.looks if look.kind == "cross"]
    own = {look.kind for look in record.looks} - {"gate", "cross"}
    return [look for look in found if own and (module is None or module in look.name)]


def _paper(look: Look) -> Tensor:
    """White pixels (3, y, x) in the proportions of the map."""
    rows, columns = look.num_queries, look.num_keys
    scale = SIDE / max(rows, columns)
    size = (max(8, round(rows * scale)), max(8, round(columns * scale)))
    return torch.full((3, *size), 255, dtype=torch.uint8)


def view_of(look: Look, weights: Float[Tensor, "Q K"], title: str, model: str) -> AlignmentView:
    """A map with the texts of its queries and keys."""
    queries, keys = look.labels()
    return AlignmentView(
        tuple(_numbered(keys)), tuple(_numbered(queries)), weights.clamp(min=0), title, model=model
    )


def _numbered(texts: tuple[str, ...]) -> Iterator[str]:
    """Texts none of which is blank."""
    return (text if text.strip() else str(number) for number, text in enumerate(texts))


def title_of(look: Look, head: Head) -> str:
    """Where a map comes from, and whether it is the one that ran."""
    which = "mean of its heads" if head == "mean" else f"head {head}"
    several = look.num_heads not in (None, 1)
    return f"{_called(look)}, {which}" if several else _called(look)


def _called(look: Look) -> str:
    receipt = look.receipt
    told = f"verified to {receipt.error:.0e}" if receipt.error is not None else receipt.verdict
    told = told if receipt.verdict != "unverified" else receipt.verdict
    call = f" ({look.call})" if look.call else ""
    return f"{look.name or 'attention'}{call}, {told}"
