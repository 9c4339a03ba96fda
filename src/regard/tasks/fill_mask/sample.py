"""A text with its holes filled, and where the model looked."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.notebook import table
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from rich.console import RenderableType

    from regard.lens.alignments import AlignmentView

HOLE = "[MASK]"
CLS, SEP = "[CLS]", "[SEP]"
BAR = 24
"""Columns of a bar of probability 1."""


class Guess(NamedTuple):
    """A word for a hole."""

    word: str
    probability: float


class Filled(NamedTuple):
    """The likeliest words for the holes of a text."""

    source: str
    """The text with its holes."""
    text: str
    """The same with the likeliest words."""
    holes: tuple[tuple[Guess, ...], ...]
    """The likeliest words for every hole, each for itself."""
    tokens: tuple[str, ...]
    """What the model read."""
    weights: Float[Tensor, "L H N N"] | None = None
    """How much each token looked at each; ``None`` if not asked for."""

    def to_json(self) -> dict[str, Any]:
        """Everything but the weights, of which there are many, and how the holes looked."""
        looked = None
        if self.weights is not None:
            looked = [
                {
                    "layer": layer,
                    "head": head,
                    "hole": number,
                    "weights": [round(one, 6) for one in self.weights[layer, head, place].tolist()],
                }
                for layer in range(self.weights.shape[0])
                for head in range(self.weights.shape[1])
                for number, place in enumerate(self.places)
            ]
        return {
            "source": self.source,
            "text": self.text,
            "holes": [[one._asdict() for one in hole] for hole in self.holes],
            "tokens": list(self.tokens),
            "looked": looked,
        }

    @property
    def places(self) -> list[int]:
        """Where the holes stand among the tokens."""
        return [place for place, token in enumerate(self.tokens) if token == HOLE]

    def __str__(self) -> str:
        """The text filled in."""
        return self.text

    def views(self) -> "tuple[AlignmentView, ...]":
        """Every head over the sentence: a row for each token, what it looked at in columns."""
        from regard.lens.alignments import AlignmentView

        if self.weights is None:
            return ()
        layers, heads = self.weights.shape[:2]
        seen = tuple(token or "␣" for token in self.tokens)
        return tuple(
            AlignmentView(
                seen,
                seen,
                self.weights[layer, head],
                f"layer {layer}, head {head}",
                texts=(self.source, self.source),
            )
            for layer in range(layers)
            for head in range(heads)
        )

    def __rich__(self) -> "RenderableType":
        """The text filled in, the likeliest words, and what the holes looked at."""
        from rich.console import Group
        from rich.text import Text

        parts: list[RenderableType] = [Text.assemble(f"{self.source} → ", (self.text, "bold"))]
        for hole in self.holes:
            wide = max(len(one.word) for one in hole)
            for word, chance in hole:
                bar = "█" * max(1, round(BAR * chance))
                parts.append(Text(f"  {word:<{wide}} {100 * chance:5.1f} %  {bar}"))
        if self.weights is not None:
            parts += [self._shaded(place) for place in self.places]
        return Group(*parts)

    def _shaded(self, place: int) -> "RenderableType":
        """The tokens, each as bright as the hole looked at it, in the mean of all heads."""
        from rich.text import Text

        assert self.weights is not None
        looked = self.weights[:, :, place].mean(dim=(0, 1))
        most = float(looked.max())
        found = Text("  looked at: ")
        for token, weight in zip(self.tokens, (looked / most).tolist(), strict=True):
            shade = round(235 - 155 * weight)
            found.append(token, f"black on rgb({shade},{shade},255)")
            found.append(" ")
        return found

    def _repr_html_(self) -> str:
        rows = [(one.word, f"{100 * one.probability:.1f} %") for hole in self.holes for one in hole]
        return table(("word", "probability"), rows, title=self.source)
