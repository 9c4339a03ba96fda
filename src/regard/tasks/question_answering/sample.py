"""An answer, and where the reader looked for it."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.notebook import heat, table
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from rich.console import RenderableType

    from regard.lens.alignments import AlignmentView

DECIMALS = 6
READABLE = 60
"""Words or sentences that are drawn at most in one picture."""


class Ranked(NamedTuple):
    """One of the likeliest answers."""

    text: str
    probability: float


class StoryLook(NamedTuple):
    """Where each hop of a reader looked in a story."""

    sentences: tuple[str, ...]
    """Those that were read."""
    hops: Float[Tensor, "H N"]
    cut: int = 0
    """Sentences before them that were not."""

    def mass(self, supports: tuple[int, ...]) -> float:
        """The share of all hops' attention on some sentences, numbered in the whole story."""
        chosen = sorted({one - self.cut for one in supports if one >= self.cut})
        return float(self.hops[:, chosen].sum(dim=-1).mean()) if chosen else 0.0

    def to_json(self) -> dict[str, Any]:
        """Sentences, and a row of weights per hop."""
        rows = [[round(weight, DECIMALS) for weight in row] for row in self.hops.tolist()]
        return {"sentences": list(self.sentences), "hops": rows}

    def views(self, title: str) -> "tuple[AlignmentView, ...]":
        """Sentences against hops; the last ones where there are many."""
        from regard.lens.alignments import AlignmentView

        if not self.sentences:
            return ()
        shown = self.sentences[-READABLE:]
        names = tuple(f"hop {number}" for number in range(1, len(self.hops) + 1))
        # A row for each sentence: sentences are long, and hops are few.
        weights = self.hops[:, -len(shown) :].T
        return (AlignmentView(names, shown, weights, title=title),)


class PassageLook(NamedTuple):
    """How much each word of a passage was looked at for each word of a question."""

    passage: tuple[str, ...]
    """Its words."""
    question: tuple[str, ...]
    weights: Float[Tensor, "Q N"]
    """A row for each word of the question, each a distribution over the words of the passage."""
    shade: Float[Tensor, " N"]
    """How much each word of the passage counted for the whole question."""
    places: tuple[tuple[int, int], ...]
    """Which characters of the passage each word is."""
    answer: tuple[int, int]
    """First and last word of the answer."""

    def to_json(self) -> dict[str, Any]:
        """Words of both, weights, and the shade of the passage."""
        rows = [[round(weight, DECIMALS) for weight in row] for row in self.weights.tolist()]
        return {
            "passage": list(self.passage),
            "question": list(self.question),
            "weights": rows,
            "shade": [round(weight, DECIMALS) for weight in self.shade.tolist()],
        }

    def views(self, title: str) -> "tuple[AlignmentView, ...]":
        """Question against passage, around the answer where the passage is long."""
        from regard.lens.alignments import AlignmentView

        if not self.passage or not self.question:
            return ()
        start = max(0, min(sum(self.answer) // 2 - READABLE // 2, len(self.passage) - READABLE))
        end = start + READABLE
        shown = self.weights[:, start:end]
        return (AlignmentView(self.passage[start:end], self.question, shown, title=title),)


class Answered(NamedTuple):
    """A question and its answer."""

    question: str
    passage: str
    answer: str
    """The likeliest; empty to a blank question, or from a blank passage."""
    ranked: tuple[Ranked, ...] = ()
    """The likeliest answers, the best first."""
    look: StoryLook | PassageLook | None = None
    """Where the reader looked; ``None`` if there was nothing to read."""
    span: tuple[int, int] | None = None
    """Which characters of the passage the answer is, where it is some."""
    cut: int = 0
    """Sentences at the start of a story that were not read, because there are too many."""
    words: tuple[str, ...] = ()
    """Of the question."""
    unknown: int = 0
    """Words of the question that were not in the training's vocabulary."""
    log_probs: tuple[float, ...] = ()
    """Of all answers, where they are a closed set."""

    @property
    def probability(self) -> float:
        """How sure the model is."""
        return self.ranked[0].probability if self.ranked else 0.0

    def __str__(self) -> str:
        return f"{self.answer}\t{self.probability:.4f}"

    def __repr__(self) -> str:
        return f"Answered({self.question!r} → {self.answer!r}, {100 * self.probability:.0f} %)"

    def to_json(self) -> dict[str, Any]:
        """The answer, others, and where the model looked."""
        return {
            "question": self.question,
            "answer": self.answer,
            "probability": round(self.probability, DECIMALS),
            "span": None if self.span is None else list(self.span),
            "ranked": [
                {"answer": one.text, "probability": round(one.probability, DECIMALS)}
                for one in self.ranked
            ],
            "look": None if self.look is None else self.look.to_json(),
            "unknown": self.unknown,
            "cut": self.cut,
        }

    def views(self) -> "tuple[AlignmentView, ...]":
        """What there is to draw: every hop over the story, or the question over the passage."""
        title = f"{self.question} {self.answer}, {100 * self.probability:.0f} %"
        return () if self.look is None else self.look.views(title)

    def __rich__(self) -> "RenderableType":
        """The answer, and the passage shaded by how much it was looked at."""
        from .terminal import drawn

        return drawn(self)

    def _repr_html_(self) -> str:
        title = f"{self.question} {self.answer} ({100 * self.probability:.1f} %)"
        if isinstance(self.look, StoryLook) and len(self.look.sentences) <= READABLE:
            names = [f"hop {number}" for number in range(1, len(self.look.hops) + 1)]
            rows = self.look.hops.T.tolist()
            return heat(rows, queries=self.look.sentences, keys=names, title=title)
        told = [(one.text, f"{100 * one.probability:.1f} %") for one in self.ranked]
        return table(("answer", "probability"), told, title=title)
