"""What is found of models that look at pictures, beside each other: scores, intervals, tables."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.measures import Comparison, Resampling, Score, compare_counts
from regard.measures.match_counts import Counted, interval

from ..reporting import one_or_several

if TYPE_CHECKING:
    from rich.console import RenderableType


class Table(NamedTuple):
    """More about one model."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]

    def to_json(self) -> list[dict[str, str | float]]:
        """A row as an object."""
        return [dict(zip(self.heads, row, strict=True)) for row in self.rows]


class System(NamedTuple):
    """What was found of one model."""

    name: str
    counted: Mapping[str, Counted]
    """Counts of every picture, by measure."""
    seconds: float
    tables: Mapping[str, Table] = {}
    """By a name for JSON."""

    def scores(self, resampling: Resampling | None) -> dict[str, Score]:
        """By measure, with intervals if they are asked for."""
        found = {name: one.score() for name, one in self.counted.items()}
        if resampling is None:
            return found
        return {
            name: score._replace(interval=interval(self.counted[name], resampling))
            for name, score in found.items()
        }


class Versus(NamedTuple):
    """A system beside the first one."""

    first: str
    second: str
    measure: str
    comparison: Comparison

    def to_json(self) -> dict[str, Any]:
        """Difference, interval and p value."""
        return {
            "first": self.first,
            "second": self.second,
            "measure": self.measure,
            "difference": self.comparison.difference,
            "interval": self.comparison.interval._asdict(),
            "p_value": self.comparison.p_value,
        }


class PictureReport(NamedTuple):
    """All that was found."""

    task: str
    pictures: int
    questions: int
    """What is asked about them; as many as pictures where each is captioned."""
    systems: tuple[System, ...]
    versus: tuple[Versus, ...]
    resampling: Resampling | None

    def to_json(self) -> dict[str, Any]:
        """Of one system all about it, of several a list of them as ``models``."""
        return one_or_several(
            [self._record(one) for one in self.systems],
            test={"pictures": self.pictures, "questions": self.questions},
            versus=[one.to_json() for one in self.versus],
        )

    def __rich__(self) -> "RenderableType":
        """Tables, the most important first."""
        from .tables import tables

        return tables(self)

    def _record(self, one: System) -> dict[str, Any]:
        scores = one.scores(self.resampling)
        return {
            "model": one.name,
            "task": self.task,
            "scores": {name: score.value for name, score in scores.items()},
            "intervals": {
                name: None if score.interval is None else score.interval._asdict()
                for name, score in scores.items()
            },
            "signatures": {name: score.signature for name, score in scores.items()},
            **{name: table.to_json() for name, table in one.tables.items()},
            "speed": {"seconds": one.seconds, "pictures_per_second": self.pictures / one.seconds},
        }


def beside(systems: Sequence[System], resampling: Resampling | None) -> tuple[Versus, ...]:
    """Each system compared with the first, in every measure of both."""
    if resampling is None:
        return ()
    first, *others = systems
    return tuple(
        Versus(first.name, one.name, name, compare_counts(counts, one.counted[name], resampling))
        for one in others
        for name, counts in first.counted.items()
        if name in one.counted
    )
