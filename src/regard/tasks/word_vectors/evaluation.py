"""How good word vectors are on text held out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.measures import Score
from regard.measures.ratio import Ratio

from ..evaluation import PlainTextEvaluation
from ..reporting import Versus, beside_first, one_or_several
from .ranking import ranked

if TYPE_CHECKING:
    from rich.console import RenderableType


class System(NamedTuple):
    """What was found of one model."""

    name: str
    ranked: Score
    """How often a word beside another is nearer to it than one drawn at random, in percent."""
    known: float
    """Share of the words of the text that have a vector, in percent."""
    pairs: int
    hits: Ratio

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        interval = self.ranked.interval
        return {
            "model": self.name,
            "task": "word-vectors",
            "scores": {"ranked": self.ranked.value, "known": self.known},
            "intervals": {"ranked": interval and interval._asdict()},
            "pairs": self.pairs,
        }


class Report(NamedTuple):
    """All that was found."""

    texts: int
    systems: tuple[System, ...]
    versus: tuple[Versus, ...]

    def to_json(self) -> dict[str, Any]:
        """Of one model all about it, of several a list of them as ``models``."""
        return one_or_several(
            [one.to_json() for one in self.systems],
            test={"texts": self.texts},
            versus=[one.to_json() for one in self.versus],
        )

    def __rich__(self) -> "RenderableType":
        """A line for each model, and differences."""
        from rich.console import Group
        from rich.text import Text

        from ..fill_mask.tables import shown
        from ..reporting import table, versus_table

        made = table(f"{self.texts:,} texts", ("system", "ranked", "known", "pairs"))
        for one in self.systems:
            cells = shown(one.ranked, 2), f"{one.known:.2f}", f"{one.pairs:,}"
            made.add_row(Text(one.name), *cells)
        more = [versus_table(self.versus, decimals=2)] if self.versus else []
        return Group(made, *more)


class WordVectorsEvaluation(PlainTextEvaluation):
    """How often a neighbour is nearer than a word drawn, with its interval; known words."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        resampling = self.resampling
        texts = self.texts()
        systems = []
        for name, one in predictors.items():
            hits, known = ranked(one, texts)
            pairs = int(hits.counts[:, 1].sum())
            systems.append(System(name, hits.score(resampling), known, pairs, hits))
        versus = beside_first(systems, "ranked", resampling)
        return Report(len(texts), tuple(systems), versus)


EVALUATION = WordVectorsEvaluation
