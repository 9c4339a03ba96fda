"""One row of a map beside other columns for it, and how well each tells what matters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from regard.notebook import table
from regard.types import Float, Tensor

from ..sheet import Sheet
from .verdict import Agreement

if TYPE_CHECKING:
    from rich.console import RenderableType


class Column(NamedTuple):
    """A number for every key of one row.

    Args:
        name: what it is called.
        values: more is more of it.
        about: its definition, in a line.
    """

    name: str
    values: Float[Tensor, " K"]
    about: str


@dataclass(frozen=True)
class Explanation:
    """What one prediction rests on, by every method, beside what happens without each token.

    Args:
        target: what was predicted, and how likely.
        tokens: the keys of the row.
        columns: by every method, leave-one-out last.
        agreements: of each with the yardstick.
        numbers: of the whole row: comprehensiveness, sufficiency, permutation, uniform weights, …
        module: whose row it is.
    """

    target: str
    tokens: tuple[str, ...]
    columns: tuple[Column, ...]
    agreements: Mapping[str, Agreement]
    numbers: Mapping[str, float] = field(default_factory=dict)
    module: str = ""

    def __getitem__(self, name: str) -> Tensor:
        return {one.name: one.values for one in self.columns}[name]

    @property
    def verdict(self) -> str:
        """Whether the map explains, in one sentence."""
        return self.agreements["attention"].sentence("attention")

    def to_json(self) -> dict[str, Any]:
        """All of it, ready for ``json.dump``."""
        return {
            "module": self.module,
            "target": self.target,
            "tokens": list(self.tokens),
            "columns": {one.name: one.values.tolist() for one in self.columns},
            "about": {one.name: one.about for one in self.columns},
            "agreements": {name: vars(one) for name, one in self.agreements.items()},
            "numbers": dict(self.numbers),
            "verdict": self.verdict,
        }

    def lines(self) -> Iterator[tuple[str, ...]]:
        """A line for every key, then τ of every column."""
        for place, token in enumerate(self.tokens):
            yield (token, *(f"{float(one.values[place]):.3f}" for one in self.columns))
        found = (self.agreements.get(one.name) for one in self.columns)
        yield ("τ", *("" if one is None else f"{one.tau:.2f} ± {one.band:.2f}" for one in found))

    def __str__(self) -> str:
        head = "\t".join(["", *(one.name for one in self.columns)])
        told = "\n".join("\t".join(line) for line in self.lines())
        more = "; ".join(f"{name} {value:.3f}" for name, value in self.numbers.items())
        return f"{self.target}\n{head}\n{told}\n{more}\n{self.verdict}"

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        from regard.listing import Listing

        shown = Listing(("", *(one.name for one in self.columns)), numbers=True, several=True)
        for line in self.lines():
            shown.add(*line)
        title = Text(f"{self.target}, {self.module}", "bold")
        more = "\n".join(f"{name} {value:.3f}" for name, value in self.numbers.items())
        return Group(title, shown, Text(more), Text(self.verdict, "bold"))

    @property
    def sheet(self) -> Sheet:
        """Every column as shares of its largest number: a row each, a column for every token."""
        values = torch.stack([one.values.double() for one in self.columns])
        scale = values.abs().amax(dim=-1, keepdim=True).clamp(min=1e-12)
        names = tuple(one.name for one in self.columns)
        return Sheet(f"{self.target}: {self.verdict}", names, self.tokens, values / scale)

    def _repr_html_(self) -> str:
        headings = ("", *(one.name for one in self.columns))
        return table(headings, self.lines(), title=f"{self.target}: {self.verdict}")
