"""A text or a picture, and what came back of it."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.notebook import table
from regard.types import Float, Tensor, UInt8

if TYPE_CHECKING:
    from rich.console import RenderableType

    from regard.lens.alignments import AlignmentView
    from regard.lens.pictures import PictureView
    from regard.lens.pictures.graphics import Protocol

DECIMALS = 6
READABLE = 60
"""Tokens that are drawn at most."""
FAINTEST = 1e-10
"""Squared error below which nothing is told apart: 100 dB."""


def decibels(error: float) -> float:
    r"""The peak signal-to-noise ratio of colours from 0 to 1.

    .. math:: \text{PSNR} = -10 \log_{10} \text{MSE}
    """
    return -10 * math.log10(max(error, FAINTEST))


def _rounded(numbers: Tensor | None) -> list[float] | None:
    return None if numbers is None else [round(one, DECIMALS) for one in numbers.tolist()]


class ReconstructedText(NamedTuple):
    """A text and what came back of it."""

    text: str
    reconstruction: str
    words: tuple[str, ...]
    """Tokens that were read, as the vocabulary writes them."""
    written: tuple[str, ...]
    """Those that came back."""
    log_prob: float
    """Of these."""
    finished: bool
    """Whether the model ended it; otherwise the limit did."""
    latent: Float[Tensor, " Z"] | None = None
    """What it passed through, if that was asked for."""
    weights: Float[Tensor, " N"] | None = None
    """How much each token counted for the latent, where features are pooled by attention; ``None``
    if not asked for."""
    cut: int = 0
    """Tokens at the end that were not read, because there are too many."""
    unknown: int = 0
    """Tokens that were not in the training's vocabulary, and cannot come back."""

    @property
    def exact(self) -> bool:
        """Whether it came back to the character."""
        return self.text == self.reconstruction

    @property
    def right(self) -> tuple[int, int]:
        """Tokens that came back in their place, of how many."""
        same = sum(one == other for one, other in zip(self.words, self.written, strict=False))
        return same, max(len(self.words) + self.cut, len(self.written))

    def __str__(self) -> str:
        return self.reconstruction

    def __repr__(self) -> str:
        sign = "→" if self.exact else "⇏"
        return f"ReconstructedText({self.text!r} {sign} {self.reconstruction!r})"

    def to_json(self) -> dict[str, Any]:
        """Both texts, the latent, and how much each token counted."""
        same, count = self.right
        return {
            "text": self.text,
            "reconstruction": self.reconstruction,
            "exact": self.exact,
            "right": same,
            "tokens": count,
            "log_prob": round(self.log_prob, DECIMALS),
            "finished": self.finished,
            "words": list(self.words),
            "weights": _rounded(self.weights),
            "latent": _rounded(self.latent),
            "unknown": self.unknown,
            "cut": self.cut,
        }

    def views(self) -> "tuple[AlignmentView, ...]":
        """What there is to draw: how much each token counted, if the model weighs them."""
        from .views import of_text

        return of_text(self)

    def __rich__(self) -> "RenderableType":
        """What came back, errors marked, and the tokens shaded by how much they counted."""
        from .terminal import drawn

        return drawn(self)

    def _repr_html_(self) -> str:
        rows = [("text", self.text), ("reconstruction", self.reconstruction)]
        return table(("", "exact" if self.exact else "not exact"), rows)


class ReconstructedPicture(NamedTuple):
    """A picture and what came back of it."""

    name: str
    """Of its file; empty for pixels."""
    picture: UInt8[Tensor, "3 Y X"]
    """As the model saw it."""
    reconstruction: UInt8[Tensor, "3 Y X"]
    error: float
    """The mean squared error of colours from 0 to 1."""
    latent: Float[Tensor, " Z"] | None = None
    """What it passed through, if that was asked for."""

    @property
    def psnr(self) -> float:
        """The peak signal-to-noise ratio in decibels: more is better."""
        return decibels(self.error)

    def __str__(self) -> str:
        return f"{self.name or '-'}\t{self.error:.6f}\t{self.psnr:.2f} dB"

    def __repr__(self) -> str:
        return f"ReconstructedPicture({self.name!r}, {self.psnr:.2f} dB)"

    def to_json(self) -> dict[str, Any]:
        """How far it is from the picture, and the latent."""
        _, height, width = self.picture.shape
        return {
            "picture": self.name,
            "width": width,
            "height": height,
            "squared_error": self.error,
            "psnr": self.psnr,
            "latent": _rounded(self.latent),
        }

    def views(self) -> "tuple[PictureView, ...]":
        """The picture, and what came back of it beside it."""
        from .views import beside

        return (beside([self]),)

    def __rich__(self) -> "RenderableType":
        """Both in the terminal."""
        return self.drawn()

    def drawn(self, protocol: "Protocol | None" = None) -> "RenderableType":
        """The same, with true pixels where the terminal has a protocol for them."""
        from regard.lens.pictures import terminal

        return terminal(self.views(), protocol=protocol)

    def _repr_html_(self) -> str:
        return self.views()[0]._repr_html_()
