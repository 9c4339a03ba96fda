"""What the doctor says: a cause with its evidence, and what to do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from regard.notebook import table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

Severity = Literal["broken", "suspicious", "normal"]
"""Whether something is wrong for certain, perhaps, or not at all though it looks so."""
COLOURS: Mapping[Severity, str] = {"broken": "bold red", "suspicious": "yellow", "normal": "green"}
HEADINGS = ("how bad", "where", "cause", "evidence", "what to do")
NOTHING = "Nothing found."
Evidence = Mapping[str, float | int | str]
"""What was measured, by name."""


@dataclass(frozen=True)
class Finding:
    """One cause in one place.

    Args:
        severity: how bad it is.
        where: the module, or ``""`` for the whole model.
        cause: its name.
        evidence: what was measured.
        fix: one sentence: what to do.
    """

    severity: Severity
    where: str
    cause: str
    evidence: Evidence = field(hash=False)
    fix: str = ""

    @property
    def told(self) -> str:
        """The evidence as text."""
        return ", ".join(f"{what} {_number(value)}" for what, value in self.evidence.items())

    def __str__(self) -> str:
        where = f" in {self.where}" if self.where else ""
        return f"{self.severity}: {self.cause}{where} ({self.told}). {self.fix}"

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {**vars(self), "evidence": dict(self.evidence)}


class Diagnosis(Sequence[Finding]):
    """All findings, the worst first: a list that shows itself.

    Args:
        findings: in any order.
        examined: how many modules were looked at.
    """

    def __init__(self, findings: Sequence[Finding], examined: int = 0) -> None:
        order = list(COLOURS)
        self._all = sorted(findings, key=lambda one: order.index(one.severity))
        self.examined = examined

    @overload
    def __getitem__(self, index: int) -> Finding: ...

    @overload
    def __getitem__(self, index: slice) -> "list[Finding]": ...

    def __getitem__(self, index: int | slice) -> "Finding | list[Finding]":
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)

    def of(self, severity: Severity) -> list[Finding]:
        """Those that are as bad as that."""
        return [one for one in self._all if one.severity == severity]

    @property
    def causes(self) -> list[str]:
        """Their names, each once, the worst first."""
        return list(dict.fromkeys(one.cause for one in self._all))

    def to_json(self) -> dict[str, Any]:
        """All of it, ready for ``json.dump``."""
        return {"examined": self.examined, "findings": [one.to_json() for one in self._all]}

    def lines(self) -> Iterator[tuple[str, str, str, str, str]]:
        """A line of the table each."""
        for one in self._all:
            yield one.severity, one.where or "model", one.cause, one.told, one.fix

    def __str__(self) -> str:
        return "\n".join(map(str, self._all)) or "nothing found"

    def __repr__(self) -> str:
        return f"Diagnosis({', '.join(self.causes) or 'nothing found'})"

    def __rich__(self) -> "RenderableType":
        from rich.text import Text

        from regard.listing import Listing

        if not self._all:
            return Text(NOTHING)
        shown = Listing(HEADINGS)
        for finding, line in zip(self._all, self.lines(), strict=True):
            shown.add(Text(line[0], COLOURS[finding.severity]), *line[1:])
        return shown

    def figure(self) -> "Figure":
        """The findings as a picture of text, each in the colour of how bad it is.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        from .drawing import drawn

        return drawn(self)

    def _repr_html_(self) -> str:
        return table(HEADINGS, self.lines()) if self._all else f"<p>{NOTHING}</p>"


def _number(value: float | int | str) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
