"""Everything that was measured of one system."""

from collections.abc import Mapping
from typing import NamedTuple

from regard.measures import AlignmentScore, Bucket, Head, Perplexity, Score, best_head


class Speed(NamedTuple):
    """How fast it was."""

    tokens: int
    """Of the translations, their ends included."""
    seconds: float

    @property
    def per_second(self) -> float:
        """Tokens per second."""
        return self.tokens / self.seconds if self.seconds else 0.0


class Evaluation(NamedTuple):
    """Everything that was measured of one system."""

    name: str
    """What it is called in tables."""
    texts: tuple[str, ...]
    """Its translations."""
    bleu: Score
    """Of all references, by sacrebleu."""
    chrf: Score
    """Likewise."""
    exact: float
    """Share of the translations that equal a reference, from 0 to 1."""
    lengths: tuple[Bucket, ...]
    """BLEU by the length of the source, in words."""
    perplexity: Perplexity | None = None
    """Of the first references; ``None`` where there are texts only."""
    speed: Speed | None = None
    """Of translating; ``None`` where there are texts only."""
    alignment: Mapping[int, AlignmentScore] = {}
    """Of the alignment head, by the step that links are taken from: 0 predicts a word, 1 reads it.
    Empty without gold, and where a model does not look."""
    heads: Mapping[Head, AlignmentScore] = {}
    """Of every head, if asked for."""

    @property
    def aer(self) -> float | None:
        """Alignment error rate by the step that predicts a word; ``None`` without."""
        return self.alignment[0].aer if 0 in self.alignment else None

    @property
    def best_head(self) -> Head | None:
        """The head with the lowest alignment error rate; ``None`` without."""
        return best_head(self.heads) if self.heads else None
