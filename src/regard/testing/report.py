"""The report of the battery: results of all checks, as a table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from regard.errors import CheckError, ChoiceError
from regard.notebook import table

from .checks.verdict import SkippedError

if TYPE_CHECKING:
    from rich.table import Table

Verdict = Literal["passed", "failed", "skipped"]
Subject = TypeVar("Subject")
STYLES = {"passed": "green", "failed": "bold red", "skipped": "dim"}


@dataclass(frozen=True)
class Result:
    """One check: what came of it, and why where it did not pass."""

    name: str
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True, repr=False)
class Report(Sequence[Result]):
    """The results of all checks, in order; prints as a table."""

    subject: str
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> list[Result]:
        """The checks that failed."""
        return [result for result in self.results if result.verdict == "failed"]

    @property
    def summary(self) -> str:
        """How many checks passed, failed and were skipped, e.g. ``9 passed, 5 skipped``."""
        counts = {v: sum(r.verdict == v for r in self.results) for v in STYLES}
        return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)

    def require(self) -> "Report":
        """The report itself if it passed.

        Raises:
            CheckError: a check failed.
        """
        if self.passed:
            return self
        first, *others = self.failures
        more = f" (and it fails {', '.join(other.name for other in others)})" if others else ""
        raise CheckError(f"{self.subject} fails the check {first.name!r}: {first.why}{more}")

    def __getitem__(self, at: object) -> Result:  # type: ignore[override]
        """A result by its place or by the name of its check."""
        if isinstance(at, int):
            return self.results[at]
        found = [result for result in self.results if result.name == at]
        if not found:
            names = ", ".join(result.name for result in self.results)
            raise ChoiceError(f"no check {at!r} was run. Run: {names}.")
        return found[0]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __rich__(self) -> "Table":
        from rich.table import Table
        from rich.text import Text

        table = Table("check", "", "why", title=Text(self.subject), caption=Text(self.summary))
        table.title_justify = table.caption_justify = "left"
        for name, verdict, why in self._rows():
            table.add_row(Text(name), Text(verdict, style=STYLES[verdict]), Text(why))
        return table

    def _repr_html_(self) -> str:
        return table(("check", "", "why"), self._rows(), title=f"{self.subject}: {self.summary}")

    def __repr__(self) -> str:
        return f"Report({self.subject}: {self.summary})"

    def __str__(self) -> str:
        widest = max((len(result.name) for result in self.results), default=0)
        lines = [f"{name:{widest}}  {verdict:7}  {why}" for name, verdict, why in self._rows()]
        return "\n".join([self.subject, *map(str.rstrip, lines), self.summary])

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(result.name, result.verdict, result.why) for result in self.results]


def check_names(known: Sequence[str], only: Iterable[str] | None) -> list[str]:
    """The checks to run, in the order of ``known``; all of them if none are named.

    Raises:
        ChoiceError: an unknown name.
    """
    if only is None:
        return list(known)
    wanted = [only] if isinstance(only, str) else list(only)
    for name in wanted:
        if name not in known:
            raise ChoiceError(f"unknown check {name!r}. Known: {', '.join(known)}.")
    return [name for name in known if name in wanted]


def run_checks(
    checks: Mapping[str, Callable[[Subject], None]],
    names: Iterable[str],
    subject: Subject,
    needs: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Result, ...]:
    """What came of each check.

    Args:
        checks: all of them; one that fails raises, see :mod:`regard.testing.checks.verdict`.
        names: those to run, in order.
        subject: what they are called with.
        needs: the checks whose failure another would only repeat: it is skipped then.
    """
    results: dict[str, Result] = {}
    for name in names:
        failed = [
            need
            for need in (needs or {}).get(name, ())
            if need in results and results[need].verdict == "failed"
        ]
        if failed:
            results[name] = Result(name, "skipped", f"it fails {failed[0]}: mend that first")
            continue
        try:
            checks[name](subject)
            results[name] = Result(name, "passed")
        except SkippedError as reason:
            results[name] = Result(name, "skipped", str(reason))
        except CheckError as error:
            results[name] = Result(name, "failed", str(error))
        except Exception as error:
            why = f"it raised {type(error).__name__}: {error}"
            results[name] = Result(name, "failed", why)
    return tuple(results.values())
