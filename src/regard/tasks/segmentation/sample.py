"""A picture and the class of every pixel."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regard.notebook import table
from regard.types import Float, Tensor, UInt8

if TYPE_CHECKING:
    from PIL.Image import Image
    from rich.console import RenderableType

    from regard.lens.pictures import PictureView
    from regard.lens.pictures.graphics import Protocol


class SegmentedPicture(NamedTuple):
    """One picture, and what every pixel of it is."""

    name: str
    picture: "Image"
    labels: tuple[str, ...]
    mask: UInt8[Tensor, "Y X"]
    """Numbers of labels, of the size of the picture as it was given."""
    values: tuple[int, ...] = ()
    """What a file says for each label; its number if there are none."""
    looks: dict[str, Float[Tensor, "y x"]] = {}  # noqa: RUF012
    """Where each of the model's gates let through, over the whole picture."""

    @property
    def shares(self) -> dict[str, float]:
        """Of the picture that each label takes."""
        counts = np.bincount(self.mask.numpy().ravel(), minlength=len(self.labels))
        total = max(1, int(counts.sum()))
        return {label: int(count) / total for label, count in zip(self.labels, counts, strict=True)}

    def __str__(self) -> str:
        return "\t".join((self.name, *(f"{n} {100 * s:.1f} %" for n, s in self.shares.items())))

    def __repr__(self) -> str:
        return f"SegmentedPicture({self.name!r}, {self.picture.width} × {self.picture.height})"

    def png(self) -> bytes:
        """The mask as a file: one number a pixel, as masks to train on are."""
        from PIL import Image

        numbers = np.array(self.values or range(len(self.labels)), dtype=np.uint8)
        file = BytesIO()
        Image.fromarray(numbers[self.mask.numpy()]).save(file, "PNG")
        return file.getvalue()

    def to_json(self) -> dict[str, Any]:
        """Size, shares, and the mask of each label as run lengths, as COCO has them."""
        from regard.data.regions.rle import compressed, encoded

        size = [self.picture.height, self.picture.width]
        return {
            "picture": self.name,
            "width": self.picture.width,
            "height": self.picture.height,
            "shares": {label: round(share, 6) for label, share in self.shares.items()},
            "masks": {
                label: {"size": size, "counts": compressed(encoded(self.mask == number))}
                for number, label in enumerate(self.labels)
            },
        }

    def views(self) -> "tuple[PictureView, ...]":
        """The picture, the mask of each label, and where the model looked."""
        from regard.lens.pictures import Panel, PictureView

        from ..regions.looking import told

        panels = [
            Panel(f"{label}, {100 * self.shares[label]:.0f} %", mask=self.mask == number)
            for number, label in enumerate(self.labels)
            if bool((self.mask == number).any())
        ]
        panels += [Panel(told(name), heat=heat) for name, heat in self.looks.items()]
        return (PictureView(self.picture, panels, title=Path(self.name).name),)

    def __rich__(self) -> "RenderableType":
        """The picture in the terminal."""
        return self.drawn()

    def drawn(self, protocol: "Protocol | None" = None) -> "RenderableType":
        """The same, with true pixels where the terminal has a protocol for them."""
        from regard.lens.pictures import terminal

        return terminal(self.views(), protocol=protocol)

    def _repr_html_(self) -> str:
        rows = [(label, f"{100 * share:.1f} %") for label, share in self.shares.items()]
        return table(("label", "share"), rows, title=self.name)
