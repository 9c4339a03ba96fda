"""What a cause is: its sign, when it counts, and the sentence that mends it."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from .chart import Chart
from .finding import Evidence, Finding, Severity

if TYPE_CHECKING:
    from .patient import Patient

EVERYTHING = "*"
"""Explains whatever comes behind it."""
SOFT = "soft"
"""Explains all causes that are no hard fact: what an untrained model looks like, say."""


class Cause:
    """One cause. Its page in the documentation is made of these texts."""

    name: ClassVar[str]
    severity: ClassVar[Severity]
    sign: ClassVar[str]
    """What is measured, and from when on it counts."""
    fix: ClassVar[str]
    """One sentence: what to do."""
    story: ClassVar[str] = ""
    """How it comes about, in a few sentences."""
    links: ClassVar[tuple[str, ...]] = ()
    """Papers, and threads of people who met it."""
    explains: ClassVar[tuple[str, ...]] = ()
    """Names of causes that are not looked for where this one was found; ``EVERYTHING``, ``SOFT``"""
    everywhere: ClassVar[bool] = False
    """Whether it explains them in every module, not only where it was found."""
    soft: ClassVar[bool] = True
    """Whether it is a matter of degree, not a hard fact."""

    @abstractmethod
    def look(self, patient: "Patient") -> Iterator[Finding]:
        """All places where it was found."""

    def found(
        self,
        evidence: Evidence,
        where: str = "",
        *,
        severity: Severity | None = None,
        fix: str = "",
    ) -> Finding:
        """A finding of this cause."""
        return Finding(severity or self.severity, where, self.name, evidence, fix or self.fix)


class ChartCause(Cause):
    """A cause that one module shows by itself."""

    def look(self, patient: "Patient") -> Iterator[Finding]:
        """Each module alone."""
        for chart in patient.charts:
            found = self.see(chart, patient)
            if found is not None:
                yield self.found(found, chart.name)

    @abstractmethod
    def see(self, chart: Chart, patient: "Patient") -> Evidence | None:
        """The evidence, or ``None``."""


CAUSES: list[Cause] = []
"""All of them, in the order in which they are looked for."""


def register(cause: type[Cause]) -> type[Cause]:
    """Make a cause known; the order in which files are imported is that of the examination."""
    CAUSES.append(cause())
    return cause
