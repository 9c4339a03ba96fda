"""A text with its label, and which words told it."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.notebook import heat, table
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from rich.console import RenderableType

    from regard.lens.alignments import AlignmentView

DECIMALS = 6
READABLE = 60
"""Words that are drawn at most."""


class ClassifiedText(NamedTuple):
    """A text and what it is."""

    text: str
    words: tuple[str, ...]
    """Its tokens."""
    label: str
    """The likeliest; empty for a blank text."""
    probabilities: dict[str, float]
    """Of all labels, the likeliest first."""
    weights: Float[Tensor, " N"] | None = None
    """How much each token counted, where features are pooled by attention; ``None`` if not asked
    for, or where a model does not look."""
    cut: int = 0
    """Tokens at the end that were not read, because there are too many."""
    unknown: int = 0
    """Tokens that were not in the training's vocabulary."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The label."""
        return (self.label,)

    @property
    def probability(self) -> float:
        """How sure the model is."""
        return self.probabilities.get(self.label, 0.0)

    def __str__(self) -> str:
        return f"{self.label}\t{self.probability:.4f}"

    def __repr__(self) -> str:
        return f"ClassifiedText({self.text!r} → {self.label!r}, {100 * self.probability:.0f} %)"

    def to_json(self) -> dict[str, Any]:
        """Label, probabilities, and where the model looked."""
        weights = None
        if self.weights is not None:
            weights = [round(weight, DECIMALS) for weight in self.weights.tolist()]
        return {
            "text": self.text,
            "label": self.label,
            "probabilities": {
                label: round(share, DECIMALS) for label, share in self.probabilities.items()
            },
            "words": list(self.words),
            "weights": weights,
            "unknown": self.unknown,
            "cut": self.cut,
        }

    def views(self) -> "tuple[AlignmentView, ...]":
        """What there is to draw: how much each word counted, if the model looked."""
        from regard.lens.alignments import AlignmentView

        if self.weights is None or not self.words:
            return ()
        shown = self.weights[:READABLE].unsqueeze(0)
        title = f"{self.label}, {100 * self.probability:.0f} %"
        words, texts = self.words[:READABLE], (self.text, self.label)
        return (AlignmentView(words, (self.label,), shown, title=title, texts=texts),)

    def __rich__(self) -> "RenderableType":
        """The label, and the words shaded by how much they counted."""
        from .terminal import drawn

        return drawn(self)

    def _repr_html_(self) -> str:
        told = [(label, f"{100 * share:.1f} %") for label, share in self.probabilities.items()]
        if self.weights is None or len(self.words) > READABLE:
            return table(("label", "probability"), told, title=self.text)
        title = ", ".join(f"{label} {share}" for label, share in told)
        return heat([self.weights.tolist()], queries=[self.label], keys=self.words, title=title)
