"""What reports of several tasks have in common: tables, buckets of length, differences."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from regard.measures import Comparison, Resampling, compare_counts

if TYPE_CHECKING:
    from rich.table import Table

EDGES = (5, 10, 20, 30, 40)
"""Longest text of every bucket but the last, in tokens."""


class Bucket(NamedTuple):
    """Texts of similar length."""

    shortest: int
    longest: int | None
    texts: int
    accuracy: float | None
    """In percent; ``None`` if there is none."""

    @property
    def label(self) -> str:
        """Such as ``"11–20"``."""
        return f"{self.shortest}+" if self.longest is None else f"{self.shortest}–{self.longest}"


def by_length(
    lengths: Sequence[int], score: Callable[[list[int]], float], edges: Sequence[int] = EDGES
) -> tuple[Bucket, ...]:
    """Texts in buckets, each with the score of its rows."""
    groups: list[list[int]] = [[] for _ in (*edges, None)]
    for row, length in enumerate(lengths):
        groups[bisect_left(edges, length)].append(row)
    bounds = zip((1, *[edge + 1 for edge in edges]), (*edges, None), strict=True)
    return tuple(
        Bucket(*bound, len(rows), score(rows) if rows else None)
        for bound, rows in zip(bounds, groups, strict=True)
    )


class Versus(NamedTuple):
    """A system beside the first one, by one measure."""

    first: str
    second: str
    measure: str
    found: Comparison

    def to_json(self) -> dict[str, Any]:
        """The difference, its interval and p value."""
        return {
            "first": self.first,
            "second": self.second,
            self.measure: {
                "difference": self.found.difference,
                "interval": self.found.interval._asdict(),
                "p_value": self.found.p_value,
            },
        }


@runtime_checkable
class Counting(Protocol):
    """A system with what was counted of every example."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def hits(self) -> Any:
        """Counts by example: :class:`regard.measures.match_counts.Counted`."""


def beside_first(
    systems: Sequence[Counting], measure: str, resampling: Resampling | None
) -> tuple[Versus, ...]:
    """Every system but the first, compared with the first on the same examples."""
    first, *others = systems
    return tuple(
        Versus(first.name, one.name, measure, compare_counts(first.hits, one.hits, resampling))
        for one in others
        if resampling is not None
    )


def one_or_several(records: Sequence[dict[str, Any]], **rest: Any) -> dict[str, Any]:
    """A report as JSON: of one system all about it, of several a list of them as ``models``."""
    found = records[0] if len(records) == 1 else {"models": list(records)}
    return found | rest


def table(title: str, names: Iterable[str]) -> "Table":
    """An empty one: names on the left, numbers on the right."""
    from rich.table import Table
    from rich.text import Text

    made = Table(title=Text(title, style="bold"), title_justify="left", box=None, pad_edge=False)
    for number, name in enumerate(names):
        made.add_column(name, justify="right" if number else "left", no_wrap=True)
    return made


def versus_table(versus: Sequence[Versus], *, decimals: int) -> "Table":
    """Differences to the first system."""
    from rich.text import Text

    made = table(f"Compared with {versus[0].first}", ("system", versus[0].measure, "p"))
    for one in versus:
        low, high, _ = one.found.interval
        shown = [f"{number:+.{decimals}f}" for number in (one.found.difference, low, high)]
        made.add_row(
            Text(one.second), f"{shown[0]} [{shown[1]}, {shown[2]}]", f"{one.found.p_value:.3f}"
        )
    return made


def length_table(title: str, systems: Sequence[tuple[str, Sequence[Bucket]]]) -> "Table":
    """Buckets as rows, systems as columns."""
    made = table(title, ("tokens", "texts", *[name for name, _ in systems]))
    for row in zip(*[buckets for _, buckets in systems], strict=True):
        if row[0].texts:
            cells = ["-" if one.accuracy is None else f"{one.accuracy:.2f}" for one in row]
            made.add_row(row[0].label, f"{row[0].texts:,}", *cells)
    return made
