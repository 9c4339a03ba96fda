"""Attention over the picture it looked at: patches, without what stands before them."""

from typing import TYPE_CHECKING

from regard.errors import ChoiceError, ShapeError
from regard.types import Float, Tensor

from ..inputs import Side
from ..look import Look
from ..pictures import Panel, PictureView
from ..record import Record
from .choosing import chosen, every_head
from .maps import title_of

if TYPE_CHECKING:
    from PIL.Image import Image


def over_picture(
    record: Record,
    picture: "Image | Tensor",
    *,
    module: str | None = None,
    layer: int = -1,
    word: int | None = None,
    model: str = "",
    force: bool = False,
) -> PictureView:
    """Where every head of a layer looks in a picture.

    Args:
        record: of a capture that knows the grid of the picture.
        picture: what the model was shown.
        module: a part of the name of the modules that are meant.
        layer: counted from 0, or from the last backwards.
        word: the query: a patch, a class token, a word of a caption; the first one, which is the
            class token where there is one, if not given.
        model: the name of what looked.
        force: whether to draw what is not verified, too.

    Raises:
        ChoiceError: the model was shown no picture.
        ShapeError: the keys are not the patches.
    """
    side = record.inputs.sides.get("input", Side())
    if side.grid is None:
        raise ChoiceError("the view picture needs a model that was shown one, this was not")
    [look] = chosen(record, cross=True, module=module, layer=layer)
    maps = every_head(look, force=force)[:, word or 0]  # (H, K)
    panels = [
        Panel(f"head {number}", heat=patches(look, row, side)) for number, row in enumerate(maps)
    ]
    mean = Panel("mean of its heads", heat=patches(look, maps.mean(dim=0), side))
    return PictureView(picture, [mean, *panels], title=title_of(look, "mean"), model=model)


def patches(look: Look, row: Float[Tensor, " K"], side: Side) -> Float[Tensor, "h w"]:
    """The weights of the patches as they lie.

    Raises:
        ShapeError: there are not as many keys as patches.
    """
    assert side.grid is not None
    rows, columns = side.grid
    if len(row) != side.before + rows * columns:
        raise ShapeError(
            f"{look.name!r} looked at {len(row)} keys, and the picture has {rows} × {columns} "
            f"patches behind {side.before} others; choose a module that looks at patches"
        )
    return row[side.before :].clamp(min=0).unflatten(0, (rows, columns))
