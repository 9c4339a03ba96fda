"""A picture with its caption, and where each word looked."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.types import Float, Tensor

if TYPE_CHECKING:
    from PIL.Image import Image
    from rich.console import RenderableType

    from regard.lens.pictures import PictureView
    from regard.lens.pictures.graphics import Protocol

DECIMALS = 5


class CaptionedImage(NamedTuple):
    """A picture and what a model says of it."""

    name: str
    """Of its file; empty if there is none."""
    image: "Image"
    size: tuple[int, int]
    """Its true width and height."""
    text: str
    """The caption."""
    words: tuple[str, ...]
    """Its tokens, the end not among them."""
    log_prob: float
    """Logarithm of the model's probability of the caption."""
    finished: bool
    """Whether the model ended it; otherwise the limit did."""
    weights: Float[Tensor, "T Y X"] | None = None
    """Where each word looked on the grid; ``None`` if not asked for, or where a model does not
    look."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"CaptionedImage({self.name!r} → {self.text!r}, log_prob {self.log_prob:.4g})"

    def to_json(self) -> dict[str, Any]:
        """Caption, words, and where the model looked."""
        weights = None
        if self.weights is not None:
            weights = [
                [[round(one, DECIMALS) for one in row] for row in grid]
                for grid in self.weights.tolist()
            ]
        return {
            "picture": self.name,
            "width": self.size[0],
            "height": self.size[1],
            "caption": self.text,
            "words": list(self.words),
            "log_prob": self.log_prob,
            "finished": self.finished,
            "weights": weights,
        }

    def views(self) -> "tuple[PictureView, ...]":
        """The picture itself, then a panel for each word: where it looked."""
        from regard.lens.pictures import Panel, PictureView

        if self.weights is None:
            return ()
        panels = [Panel()]
        panels += [
            Panel(word, heat=heat) for word, heat in zip(self.words, self.weights, strict=True)
        ]
        return (PictureView(self.image, panels, title=self.text, size=self.size),)

    def __rich__(self) -> "RenderableType":
        """The caption, and where each word looked if that was asked for."""
        return self.drawn()

    def drawn(self, protocol: "Protocol | None" = None) -> "RenderableType":
        """The same, with true pixels where the terminal has a protocol for them."""
        from rich.console import Group
        from rich.text import Text

        from regard.lens.words import printable

        told = Text(printable(self.text) if self.text else "(nothing)", "bold")
        if self.weights is None:
            return told
        from regard.lens.pictures import terminal

        return Group(told, terminal(list(self.views()), protocol=protocol))

    def _repr_html_(self) -> str:
        from html import escape

        views = self.views()
        return views[0]._repr_html_() if views else f"<p>{escape(self.text)}</p>"
