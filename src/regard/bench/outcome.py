"""What a topic gives the command: something to print, to write and to judge by."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType

from .chart import draw
from .record import to_json
from .report import header, tables
from .results import Report, Verdict
from .training.record import to_json as training_json
from .training.report import pages
from .training.results import TrainingReport


@dataclass(frozen=True)
class Outcome:
    """A run, ready to be shown.

    Args:
        topic: the name of the files.
        data: everything, as JSON.
        pages: what to print, the summary last.
        picture: draws a PNG, or None where there is nothing to draw.
        verdicts: all goals.
    """

    topic: str
    data: dict[str, Any]
    pages: tuple[RenderableType, ...]
    picture: Callable[[], bytes | None]
    verdicts: tuple[Verdict, ...]

    @property
    def missed(self) -> bool:
        """Whether a goal was missed."""
        return any(verdict.state == "missed" for verdict in self.verdicts)


def of_races(report: Report) -> Outcome:
    """A run of races in one process."""
    parts = (header(report), *tables(report))
    topic = report.settings.topic
    return Outcome(topic, to_json(report), parts, lambda: draw(report), report.verdicts)


def of_training(report: TrainingReport) -> Outcome:
    """A run of training, a process per system."""
    parts = tuple(pages(report))
    return Outcome("training", training_json(report), parts, lambda: None, report.verdicts)
