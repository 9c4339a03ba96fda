"""A picture and what was found in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.notebook import table
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from PIL.Image import Image
    from rich.console import RenderableType

    from regard.lens.pictures import PictureView
    from regard.lens.pictures.graphics import Protocol

DECIMALS = 2


class DetectedObject(NamedTuple):
    """One object."""

    label: str
    score: float
    """From 0 to 1: how sure the model is."""
    box: tuple[float, float, float, float]
    """Left, top, right and bottom edge, in pixels of the picture as it was given."""


class DetectedObjects(NamedTuple):
    """All that was found in one picture."""

    name: str
    picture: "Image"
    objects: tuple[DetectedObject, ...]
    """The surest first."""
    looks: dict[str, Float[Tensor, "y x"]] = {}  # noqa: RUF012
    """Where each of the model's gates looked, over the whole picture, or the query of each of the
    first objects."""

    def __str__(self) -> str:
        told = (
            f"{one.label} {one.score:.3f} {' '.join(f'{edge:.1f}' for edge in one.box)}"
            for one in self.objects
        )
        return "\t".join((self.name, *told))

    def __repr__(self) -> str:
        return f"DetectedObjects({self.name!r}, {len(self.objects)} objects)"

    def to_json(self) -> dict[str, Any]:
        """Size, objects, and how fine the maps are of where the model looked."""
        return {
            "picture": self.name,
            "width": self.picture.width,
            "height": self.picture.height,
            "objects": [
                {
                    "label": one.label,
                    "score": round(one.score, 4),
                    "box": [round(edge, DECIMALS) for edge in one.box],
                }
                for one in self.objects
            ],
            "looks": {
                name: [[round(weight, 4) for weight in row] for row in heat.tolist()]
                for name, heat in self.looks.items()
            },
        }

    def views(self) -> "tuple[PictureView, ...]":
        """The picture with boxes, and beside it where the model looked."""
        from regard.lens.pictures import Box, Panel, PictureView

        width, height = self.picture.size
        boxes = [
            Box(
                one.box[0] / width,
                one.box[1] / height,
                one.box[2] / width,
                one.box[3] / height,
                one.label,
                one.score,
            )
            for one in self.objects
        ]
        found = f"{len(boxes)} object{'' if len(boxes) == 1 else 's'}"
        panels = [Panel(found, boxes=boxes)]
        panels += [Panel(self._title(name), heat=heat) for name, heat in self.looks.items()]
        return (PictureView(self.picture, panels, title=Path(self.name).name),)

    def _title(self, name: str) -> str:
        """Of a gate, or of an object: ``2: ring``."""
        from ..regions.looking import told

        what, _, number = name.partition(" ")
        if what != "object":
            return told(name)
        return f"{number}: {self.objects[int(number) - 1].label}"

    def __rich__(self) -> "RenderableType":
        """The picture in the terminal."""
        return self.drawn()

    def drawn(self, protocol: "Protocol | None" = None) -> "RenderableType":
        """The same, with true pixels where the terminal has a protocol for them."""
        from regard.lens.pictures import terminal

        return terminal(self.views(), protocol=protocol)

    def _repr_html_(self) -> str:
        rows = [(one.label, f"{100 * one.score:.0f} %") for one in self.objects]
        return table(("object", "score"), rows, title=self.name)
