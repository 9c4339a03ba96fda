"""A sentence with the tags of its words."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.notebook import table
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from rich.console import RenderableType

    from regard.lens.alignments import AlignmentView

DECIMALS = 6
READABLE = 40
"""Words of a sentence that are drawn at most."""
LEAST = 0.02
"""A tag that has more probability than this somewhere is drawn."""


class TaggedText(NamedTuple):
    """The words of a text, each with its tag."""

    text: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    probabilities: tuple[float, ...]
    """How sure the model is of each tag."""
    distribution: Float[Tensor, "N V"] | None
    """Probabilities of all tags, for each word."""
    known_tags: tuple[str, ...]
    """All tags there are, in the order of ``distribution``."""
    weights: Float[Tensor, "N N"] | None = None
    """How much each word looked at each, the mean of the heads of the last layer; ``None`` if not
    asked for, or where a model does not look."""
    cut: int = 0
    """Words at the end that were not read, because there are too many."""
    unknown: int = 0
    """Words that were not in the training's vocabulary."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags."""
        return self.tags

    def __str__(self) -> str:
        return " ".join(f"{word}/{tag}" for word, tag in zip(self.words, self.tags, strict=True))

    def __repr__(self) -> str:
        return f"TaggedText({self})"

    def to_json(self) -> dict[str, Any]:
        """Words, tags, and how sure they are."""
        weights = None
        if self.weights is not None:
            weights = [[round(x, DECIMALS) for x in row] for row in self.weights.tolist()]
        return {
            "text": self.text,
            "words": list(self.words),
            "tags": list(self.tags),
            "probabilities": [round(one, DECIMALS) for one in self.probabilities],
            "unknown": self.unknown,
            "cut": self.cut,
            "weights": weights,
        }

    def views(self) -> "tuple[AlignmentView, ...]":
        """What there is to draw: how sure each tag is, and where words looked if they did."""
        from regard.lens.alignments import AlignmentView

        if not self.words or self.distribution is None:
            return ()
        shown = self.distribution[:READABLE]
        words = self.words[:READABLE]
        used = [n for n in range(len(self.known_tags)) if float(shown[:, n].max()) > LEAST]
        tags = tuple(self.known_tags[n] for n in used)
        texts = self.text, " ".join(self.tags)
        title = "how sure each tag is"
        found = [AlignmentView(tags, words, shown[:, used], title, texts=texts)]
        if self.weights is not None:
            looks = self.weights[:READABLE, :READABLE]
            found.append(
                AlignmentView(words, words, looks, "which word looked at which", texts=texts)
            )
        return tuple(found)

    def __rich__(self) -> "RenderableType":
        """Words above their tags; what is not sure is faint."""
        from .terminal import drawn

        return drawn(self)

    def _repr_html_(self) -> str:
        sure = (f"{100 * one:.0f} %" for one in self.probabilities)
        return table(("word", "tag", "sure"), zip(self.words, self.tags, sure, strict=True))
