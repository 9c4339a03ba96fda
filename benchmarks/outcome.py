"""What a topic gives the command: something to print, to write and to judge by."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.console import RenderableType

from .chart import draw
from .decoding.record import to_json as decoding_json
from .decoding.report import pages as decoding_pages
from .decoding.results import DecodingReport
from .mechanisms.figure import picture
from .mechanisms.record import to_json as mechanisms_json
from .mechanisms.report import markdown
from .mechanisms.report import pages as mechanisms_pages
from .mechanisms.results import MechanismsReport
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
        text: the same as Markdown, where there is a page of it.
        drawing: draws the picture as SVG, where there is one.
    """

    topic: str
    data: dict[str, Any]
    pages: tuple[RenderableType, ...]
    picture: Callable[[], bytes | None]
    verdicts: tuple[Verdict, ...]
    text: str | None = None
    drawing: Callable[[], bytes | None] = lambda: None

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


def of_decoding(report: DecodingReport) -> Outcome:
    """A run of decoding, a process per system."""
    parts = tuple(decoding_pages(report))
    return Outcome("decoding", decoding_json(report), parts, lambda: None, report.verdicts)


def of_mechanisms(report: MechanismsReport) -> Outcome:
    """A comparison of mechanisms, a run each; nothing is claimed of it."""
    return Outcome(
        topic="mechanisms",
        data=mechanisms_json(report),
        pages=tuple(mechanisms_pages(report)),
        picture=partial(picture, report, "png"),
        verdicts=(),
        text=markdown(report),
        drawing=partial(picture, report, "svg"),
    )
