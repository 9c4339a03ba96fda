"""What a census found: rows to read, in a terminal, a notebook, or as JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from regard.notebook import table

from ..sheet import Sheet
from .examples import Example
from .likeness import Likenesses

if TYPE_CHECKING:
    from regard.listing import Listing


@dataclass(frozen=True)
class Row:
    """One role in one head.

    Args:
        module: its name.
        head: counted from 0.
        role: the role.
        score: how much of it.
        chance: how much a head has that looks at all keys alike, under the same masks.
        interval: 95 % of the scores of corpora like this one.
        named: whether the head has the name.
        cases: queries, sentences or gates that the score rests on.
        note: more about it.
    """

    module: str
    head: int
    role: str
    score: float
    chance: float
    interval: tuple[float, float]
    named: bool
    cases: int
    note: str = ""

    def __str__(self) -> str:
        low, high = self.interval
        told = f"{self.role} {self.score:.2f} [{low:.2f}, {high:.2f}], chance {self.chance:.2f}"
        return f"{told}; {self.note}" if self.note else told


@dataclass(frozen=True)
class HeadFacts:
    """What stands beside the roles of a head.

    Args:
        module: its name.
        head: counted from 0.
        confidence: mean of the largest weight, the end left out.
        distance: mean |j − i| in positions.
        entropy: mean H / ln n.
        shares: what it looks by, see :func:`regard.lens.decompose.decompose`.
        loss: what the loss loses with its context at the mean; ``None`` where not measured.
        slope: the first-order estimate of that.
        examples: rows to look at.
    """

    module: str
    head: int
    confidence: float | None
    distance: float | None
    entropy: float | None
    shares: Mapping[str, float] = field(default_factory=dict)
    loss: float | None = None
    slope: float | None = None
    examples: tuple[Example, ...] = field(default=(), repr=False)

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        examples = [one.to_json() for one in self.examples]
        return {**vars(self), "shares": dict(self.shares), "examples": examples}


@dataclass(frozen=True)
class Census:
    """What every head does.

    Args:
        rows: every role in every head, named or not.
        heads: what stands beside them.
        likeness: how far apart heads are that look at the same.
    """

    rows: tuple[Row, ...]
    heads: tuple[HeadFacts, ...]
    likeness: tuple[Likenesses, ...] = field(default=(), repr=False)

    @property
    def named(self) -> tuple[Row, ...]:
        """The rows of heads that have the name."""
        return tuple(row for row in self.rows if row.named)

    def roles(self, module: str, head: int) -> tuple[Row, ...]:
        """The names of one head, the highest above chance first; none is an answer."""
        own = [row for row in self.named if (row.module, row.head) == (module, head)]
        return tuple(sorted(own, key=lambda row: row.chance - row.score))

    def with_role(self, role: str) -> tuple[Row, ...]:
        """The heads of one role, the best first."""
        own = [row for row in self.named if row.role == role]
        return tuple(sorted(own, key=lambda row: -row.score))

    def names(self) -> dict[tuple[str, int], frozenset[str]]:
        """The names of every head."""
        found: dict[tuple[str, int], set[str]] = {(h.module, h.head): set() for h in self.heads}
        for row in self.named:
            found[row.module, row.head].add(row.role)
        return {head: frozenset(names) for head, names in found.items()}

    def stability(self, other: "Census") -> float:
        """Jaccard's index of the names on two corpora: 1 if all are the same; 1 without names."""
        mine, theirs = ({(r.module, r.head, r.role) for r in one.named} for one in (self, other))
        return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0

    def to_json(self) -> dict[str, Any]:
        """All of it, ready for ``json.dump``."""
        return {
            "rows": [{**vars(row), "interval": list(row.interval)} for row in self.rows],
            "heads": [head.to_json() for head in self.heads],
            "likeness": [one.to_json() for one in self.likeness],
        }

    def lines(self) -> Iterator[tuple[str, ...]]:
        """A line of the table for each head, as ``headings`` say."""
        for head in self.heads:
            told = "\n".join(map(str, self.roles(head.module, head.head))) or "none"
            sure = "" if head.confidence is None else f"{head.confidence:.2f}"
            far = "" if head.distance is None else f"{head.distance:.1f}"
            lost = () if not self._weighed else ("" if head.loss is None else f"{head.loss:+.4f}",)
            yield f"{head.module}.{head.head}", told, looks_by(head.shares), sure, far, *lost

    @property
    def headings(self) -> tuple[str, ...]:
        """What stands above ``lines``."""
        kept = ("head", "roles", "looks by", "confidence", "distance")
        return (*kept, "Δ loss") if self._weighed else kept

    @property
    def _weighed(self) -> bool:
        return any(head.loss is not None for head in self.heads)

    @property
    def sheet(self) -> Sheet:
        """Scores of all heads in the roles that some head has: a row each, a column for a role."""
        roles = tuple(dict.fromkeys(row.role for row in self.named))
        roles = roles or tuple(dict.fromkeys(row.role for row in self.rows))
        heads = {(one.module, one.head): place for place, one in enumerate(self.heads)}
        values = torch.full((len(heads), len(roles)), torch.nan, dtype=torch.float64)
        for row in self.rows:
            if row.role in roles:
                values[heads[row.module, row.head], roles.index(row.role)] = row.score
        return Sheet("scores", tuple(f"{m}.{h}" for m, h in heads), roles, values)

    def __str__(self) -> str:
        kept = [self.headings, *self.lines()]
        return "\n".join("  ".join(part.replace("\n", " | ") for part in line) for line in kept)

    def __rich__(self) -> "Listing":
        from regard.listing import Listing

        shown = Listing(self.headings)
        for line in self.lines():
            shown.add(*line)
        return shown

    def _repr_html_(self) -> str:
        return table(self.headings, self.lines())


def looks_by(shares: Mapping[str, float]) -> str:
    """The shares of the scores in a few words, the largest first."""
    if not shares:
        return ""
    if shares["spread"] < 0.2:
        return f"nothing (σ {shares['spread']:.2f})"
    parts = [(shares[name], name) for name in ("key", "offset", "either", "content")]
    told = [f"{name} {100 * share:.0f} %" for share, name in sorted(parts, reverse=True)]
    return ", ".join(
        one
        for one, (share, _) in zip(told, sorted(parts, reverse=True), strict=True)
        if share >= 0.05
    )
