"""A picture with its label, and where the model looked."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.notebook import table

if TYPE_CHECKING:
    from PIL.Image import Image
    from rich.console import RenderableType

    from regard.lens.pictures import Panel, PictureView
    from regard.lens.pictures.graphics import Protocol

DECIMALS = 6
MOST = 5
"""Labels that are told."""


class ClassifiedPicture(NamedTuple):
    """A picture and what it is."""

    name: str
    """Of its file; empty for pixels."""
    label: str
    """The likeliest."""
    probabilities: dict[str, float]
    """Of all labels, the likeliest first."""
    picture: "Image"
    """As it was read, upright and in RGB."""
    panels: "tuple[Panel, ...]" = ()
    """Where the model looked, if that was asked for."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The label."""
        return (self.label,)

    @property
    def probability(self) -> float:
        """How sure the model is."""
        return self.probabilities[self.label]

    def __str__(self) -> str:
        return f"{self.label}\t{self.probability:.4f}"

    def __repr__(self) -> str:
        share = f"{100 * self.probability:.0f} %"
        return f"ClassifiedPicture({self.name!r} → {self.label!r}, {share})"

    def to_json(self) -> dict[str, Any]:
        """Label, probabilities, and where the model looked."""
        width, height = self.picture.size
        return {
            "picture": self.name,
            "width": width,
            "height": height,
            "label": self.label,
            "probabilities": {
                label: round(share, DECIMALS) for label, share in self.probabilities.items()
            },
            "panels": [panel.to_json() for panel in self.panels],
        }

    def views(self) -> "tuple[PictureView, ...]":
        """What there is to draw: the picture, and every way in which it was looked at."""
        from regard.lens.pictures import Panel, PictureView

        title = f"{self.label}, {100 * self.probability:.0f} %"
        return (PictureView(self.picture, (Panel("picture"), *self.panels), title=title),)

    def __rich__(self) -> "RenderableType":
        """The label, and the picture in the terminal."""
        return self.drawn()

    def drawn(self, protocol: "Protocol | None" = None) -> "RenderableType":
        """The same, with true pixels where the terminal has a protocol for them."""
        from rich.console import Group
        from rich.text import Text

        from regard.lens.pictures import terminal

        told = [f"{label} {100 * p:.1f} %" for label, p in list(self.probabilities.items())[:MOST]]
        return Group(Text("   ".join(told)), terminal(self.views(), protocol=protocol))

    def _repr_html_(self) -> str:
        told = [(label, f"{100 * share:.1f} %") for label, share in self.probabilities.items()]
        listed = table(("label", "probability"), told[:MOST], title=self.name)
        return listed + self.views()[0]._repr_html_()
