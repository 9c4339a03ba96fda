"""A picture and what was seen in it, as a value, before it is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from regard.errors import RangeError, ShapeError
from regard.types import Tensor

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = NDArray[np.uint8]
"""(Y, X, 3): red, green, blue."""
Numbers = NDArray[np.float64]
CHANNELS = 3


class Box(NamedTuple):
    """A rectangle with sides in shares of the picture: 0 is left and above, 1 right and below."""

    left: float
    top: float
    right: float
    bottom: float
    label: str = ""
    score: float | None = None

    @property
    def text(self) -> str:
        """What is written beside it."""
        told = "" if self.score is None else f"{100 * self.score:.0f} %"
        return " ".join(part for part in (self.label, told) if part)


@dataclass(frozen=True, eq=False)
class Panel:
    """One way to look at a picture: what lies over it, or bars instead of it.

    Args:
        title: a line above it, such as a word of a caption.
        heat: (h, w), 0 or more: how much each place of a grid over the whole picture counts; the
            largest has the strongest colour.
        boxes: rectangles, in shares of the picture.
        path: (x, y) after (x, y) in shares of the picture, in the order in which they were seen.
        mask: (h, w), booleans: which places belong to something.
        bars: numbers without a place, such as the gates of channels, from 0 on: they are drawn
            instead of the picture.

    Raises:
        ShapeError: heat or mask that is no grid, bars that are no row, or bars beside the others.
        RangeError: a weight that is negative or no number, or a place that is no number.
    """

    title: str = ""
    heat: Tensor | None = field(default=None, repr=False)
    boxes: Sequence[Box] = ()
    path: Sequence[tuple[float, float]] = ()
    mask: Tensor | None = field(default=None, repr=False)
    bars: Tensor | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, wanted in (("heat", 2), ("mask", 2), ("bars", 1)):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _checked(name, value, wanted))
        if self.bars is not None and (self.over or self.heat is not None):
            raise ShapeError("a panel needs either bars or something over the picture, got both")
        if not all(isfinite(x) for place in self.places for x in place):
            raise RangeError("the places of a panel must be numbers, got one that is none")

    @property
    def over(self) -> bool:
        """Whether something but heat lies over the picture."""
        return bool(self.boxes or self.path or self.mask is not None)

    @property
    def places(self) -> tuple[tuple[float, ...], ...]:
        """All numbers of boxes and path."""
        return (*(tuple(box[:4]) for box in self.boxes), *(tuple(map(float, p)) for p in self.path))

    @property
    def largest(self) -> float:
        """The largest weight of heat or bars; 1 where there is none."""
        found = self.heat if self.heat is not None else self.bars
        return 1.0 if found is None or not float(found.max()) else float(found.max())

    def to_json(self) -> dict[str, Any]:
        """All of it as plain lists and text; what it does not have is not there."""
        grids = {name: getattr(self, name) for name in ("heat", "mask", "bars")}
        found: dict[str, Any] = {n: grid.tolist() for n, grid in grids.items() if grid is not None}
        if self.boxes:
            found["boxes"] = [box._asdict() for box in self.boxes]
        if self.path:
            found["path"] = [list(map(float, place)) for place in self.path]
        return {"title": self.title, **found}


def _checked(name: str, value: Tensor, dims: int) -> Tensor:
    """Heat and bars in float64, a mask as booleans."""
    if value.dim() != dims or not value.numel():
        wanted = "a grid (h, w)" if dims == 2 else "a row of numbers"
        raise ShapeError(f"{name} of a panel needs to be {wanted}, got {tuple(value.shape)}")
    if name == "mask":
        return value.detach().cpu().bool()
    weights = value.detach().cpu().double()
    if not bool(weights.isfinite().all()) or bool((weights < 0).any()):
        raise RangeError(f"{name} of a panel must be 0 or more, got a number that is not")
    return weights


@dataclass(frozen=True, eq=False)
class PictureView:
    """A picture and the ways in which it was looked at.

    Plain data: nothing here knows whether it will be drawn in a terminal, as a file or as a page.

    >>> view = PictureView(read_picture("cat.jpg"), [Panel("cat", heat)])
    >>> Console().print(view)
    >>> Path("cat.png").write_bytes(picture([view], "png"))

    Args:
        picture: of Pillow, or its pixels: uint8 (Y, X, 3) of numpy, (3, Y, X) of torch.
        panels: what is drawn, side by side; one without anything is the picture itself.
        title: a line above all panels, such as the answer.
        size: (width, height) at which it is drawn where its pixels were squeezed: its true
            proportions.
        model: the name of what looked.

    Raises:
        ShapeError: no panel, or pixels of another form.
    """

    picture: "Image | Tensor | Pixels" = field(repr=False)
    panels: Sequence[Panel]
    title: str = ""
    size: tuple[int, int] | None = None
    model: str = ""
    pixels: Pixels = field(init=False, repr=False)
    """(Y, X, 3)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pixels", _pixels_of(self.picture))
        if not self.panels:
            raise ShapeError("a view of a picture needs at least one panel, got none")
        if self.size is not None and min(self.size) < 1:
            raise ShapeError(f"a picture needs a width and a height of 1 or more, got {self.size}")

    @property
    def proportions(self) -> tuple[int, int]:
        """Its true width and height."""
        height, width = self.pixels.shape[:2]
        return self.size or (width, height)

    def to_json(self) -> dict[str, Any]:
        """All but the pixels, ready for ``json.dump``."""
        width, height = self.proportions
        return {
            "title": self.title,
            "model": self.model,
            "width": width,
            "height": height,
            "panels": [panel.to_json() for panel in self.panels],
        }

    def __rich__(self) -> Any:
        from .drawing import terminal

        return terminal([self])

    def _repr_html_(self) -> str:
        from .page import iframe

        return iframe([self])


def _pixels_of(picture: Any) -> Pixels:
    if torch.is_tensor(picture):
        found = picture.detach().cpu().movedim(0, -1).numpy() if picture.dim() == 3 else None
    else:
        found = np.asarray(picture.convert("RGB") if hasattr(picture, "convert") else picture)
    fits = found is not None and found.ndim == 3 and found.shape[2] == CHANNELS and found.size
    if found is None or not fits or found.dtype != np.uint8:
        came = getattr(picture, "shape", type(picture).__name__)
        raise ShapeError(
            "a view needs a picture of Pillow or whole numbers of 8 bits, (Y, X, 3) of numpy or "
            f"(3, Y, X) of torch, got {came if isinstance(came, str) else tuple(came)} "
            f"{getattr(picture, 'dtype', '')}".rstrip()
        )
    return np.ascontiguousarray(found)
