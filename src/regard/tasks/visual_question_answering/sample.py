"""A question about a picture with its answer, and where the model looked."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.types import Float, Tensor

if TYPE_CHECKING:
    from PIL.Image import Image
    from rich.console import RenderableType

    from regard.lens.pictures import Panel, PictureView
    from regard.lens.pictures.graphics import Protocol

    from .example import Corners

DECIMALS = 5
TOLD = 5
"""Answers that are told."""


class AnsweredQuestion(NamedTuple):
    """A question about a picture, and what a model says."""

    name: str
    """Of the picture's file; empty if there is none."""
    image: "Image"
    size: tuple[int, int]
    """Its true width and height."""
    question: str
    words: tuple[str, ...]
    """The question's tokens."""
    answer: str
    """The likeliest."""
    probabilities: dict[str, float]
    """Of the likeliest answers, the first of them first."""
    extent: tuple[int, int]
    """Rows and columns of the grid."""
    hops: Float[Tensor, "L K"] | None = None
    """How much each region counted, look after look; ``None`` if not asked for, or where a model
    does not look."""
    by_word: Float[Tensor, "T K"] | None = None
    """How much each word of the question looked at each region."""
    boxes: "tuple[Corners, ...] | None" = None
    """The regions, where they are boxes; the places of the grid if ``None``."""
    unknown: int = 0
    """Words of the question that are not in the vocabulary."""

    @property
    def probability(self) -> float:
        """How sure the model is."""
        return self.probabilities.get(self.answer, 0.0)

    def __str__(self) -> str:
        return self.answer

    def __repr__(self) -> str:
        sure = f"{100 * self.probability:.0f} %"
        return f"AnsweredQuestion({self.question!r} → {self.answer!r}, {sure})"

    def to_json(self) -> dict[str, Any]:
        """Answers, and where the model looked."""
        found: dict[str, Any] = {
            "picture": self.name,
            "question": self.question,
            "answer": self.answer,
            "probabilities": {
                answer: round(share, DECIMALS) for answer, share in self.probabilities.items()
            },
            "words": list(self.words),
            "unknown": self.unknown,
            "grid": list(self.extent),
        }
        if self.boxes is not None:
            found["boxes"] = [list(box) for box in self.boxes]
        for name in ("hops", "by_word"):
            weights = getattr(self, name)
            if weights is not None:
                rows = weights.tolist()
                found[name] = [[round(one, DECIMALS) for one in row] for row in rows]
        return found

    def views(self) -> "tuple[PictureView, ...]":
        """The picture itself, then a panel for each look, or for each word that looked."""
        from regard.lens.pictures import Panel, PictureView

        if self.hops is None:
            return ()
        panels = [Panel()]
        if self.by_word is not None:
            panels += [self._panel(*one) for one in zip(self.words, self.by_word, strict=True)]
        several = len(self.hops) > 1
        panels += [
            self._panel(f"look {number}" if several else "all of it", look)
            for number, look in enumerate(self.hops, start=1)
        ]
        title = f"{self.question} → {self.answer}"
        return (PictureView(self.image, panels, title=title, size=self.size),)

    def _panel(self, title: str, weights: Tensor) -> "Panel":
        from regard.lens.pictures import Box, Panel

        if self.boxes is None:
            return Panel(title, heat=weights.view(self.extent))
        pairs = zip(self.boxes, weights.tolist(), strict=False)
        return Panel(title, boxes=[Box(*box, score=share) for box, share in pairs])

    def __rich__(self) -> "RenderableType":
        """The answers, and where the model looked if that was asked for."""
        return self.drawn()

    def drawn(self, protocol: "Protocol | None" = None) -> "RenderableType":
        """The same, with true pixels where the terminal has a protocol for them."""
        from rich.console import Group
        from rich.text import Text

        from regard.lens.words import printable

        told = [f"{answer} {100 * p:.1f} %" for answer, p in self.probabilities.items()]
        text = Text.assemble(printable(self.question), " → ", (told[0], "bold"))
        text.append("".join(f"   {one}" for one in told[1:]), "dim")
        if self.hops is None:
            return text
        from regard.lens.pictures import terminal

        return Group(text, terminal(list(self.views()), protocol=protocol))

    def _repr_html_(self) -> str:
        from regard.notebook import table

        views = self.views()
        if views:
            return views[0]._repr_html_()
        rows = [(answer, f"{100 * p:.1f} %") for answer, p in self.probabilities.items()]
        return table(("answer", "probability"), rows, title=self.question)
