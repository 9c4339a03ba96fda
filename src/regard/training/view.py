"""A run on the terminal: how far it is, how good by now, and what it makes of a sentence."""

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from .loop import SPENT
from .plan import going_on, left_out, plan_of
from .run import Ending, Observer, Run
from .task import Measure, Sample, Validation
from .update import Update

PAUSE = 20.0
"""Seconds between lines where nothing can be written over."""
SMOOTHING = 0.9
"""How much of the old speed and loss stays in the shown ones."""

ENDINGS: dict[Ending, str] = {
    "steps": "all steps are made",
    "minutes": "the time is up",
    "patience": "it got no better for a while",
    "goal": "the goal is reached",
    "interrupted": "interrupted, with a checkpoint",
    "terminated": "terminated, with a checkpoint",
    "hung up": "the terminal was closed; there is a checkpoint",
}


def view(folder: Path) -> "View":
    """What fits where the output goes: a live display, or lines."""
    console = Console(stderr=True, markup=False, emoji=False)
    return LiveView(console, folder) if console.is_terminal else LineView(console, folder)


class View(Observer):
    """What both have in common.

    Args:
        console: where to.
        folder: of the run, to name it at the end.
    """

    def __init__(self, console: Console, folder: Path) -> None:
        self.console = console
        self.folder = folder
        self._samples: tuple[Sample, ...] = ()
        self._loss: float | None = None
        self._speed: float | None = None
        self._last = 0.0

    def started(self, run: Run) -> None:
        """Say what is trained on what."""
        for line in (*plan_of(run, self.folder), *left_out(run)):
            self._print(line)
        self._last = time.monotonic()

    def updated(self, run: Run, update: Update) -> None:
        """Take the step into the shown speed and loss."""
        now = time.monotonic()
        self._speed = _smoothed(self._speed, update.targets / max(now - self._last, 1e-9))
        self._loss = _smoothed(self._loss, update.parts.get("nll", update.loss))
        self._last = now

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """A line of scores."""
        self._samples = validation.samples
        measures = run.config.task.measures
        self._print(scores_line(run.progress.step, measures, validation, best=best))
        self._last = time.monotonic()

    def saved(self, run: Run, path: Path) -> None:
        """Time for writing is no time for tokens."""
        self._last = time.monotonic()

    def ended(self, run: Run, ending: Ending) -> None:
        """The sentences, their alignment, and what to do next."""
        progress = run.progress
        self._print(
            f"Ended at step {progress.step:,} after {clock(progress.seconds)}: {ENDINGS[ending]}."
        )
        if ending in SPENT and self._samples:
            self._print(f"For a look, {run.config.task.about_samples}:")
            for sample in self._samples:
                self.console.print(sample)
        if progress.best_step is not None:
            self._print(f"The best weights are those of step {progress.best_step:,}.")
        self._print(f"Go on with: {going_on(run, self.folder)}")

    def tell(self, line: str) -> None:
        """Say something in between."""
        self._print(line)

    def _print(self, line: str) -> None:
        # A terminal breaks lines anywhere, rich between words; a file has lines of any length.
        soft = not self.console.is_terminal
        with suppress(OSError):  # nobody is there any more, and the run is worth more
            self.console.print(line, highlight=False, soft_wrap=soft)

    def _state(self, run: Run) -> str:
        speed = f"{self._speed or 0:,.0f} {run.config.task.units.targets}/s"
        return f"step {run.progress.step:,}  loss {self._loss or 0:.3f}  {speed}"


class LineView(View):
    """Lines, for files and pipes."""

    def __init__(self, console: Console, folder: Path) -> None:
        super().__init__(console, folder)
        self._told = time.monotonic()

    def updated(self, run: Run, update: Update) -> None:
        """A line every now and then."""
        super().updated(run, update)
        if time.monotonic() - self._told > PAUSE:
            self._told = time.monotonic()
            self._print(self._state(run))


class LiveView(View):
    """A bar and a sentence that change in place."""

    def __init__(self, console: Console, folder: Path) -> None:
        super().__init__(console, folder)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._progress.add_task("starting", total=None)
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    def started(self, run: Run) -> None:
        """Show the bar."""
        super().started(run)
        self._live.update(self._shown())
        self._live.start()

    def updated(self, run: Run, update: Update) -> None:
        """Move the bar."""
        super().updated(run, update)
        done, total = advance(run)
        self._progress.update(self._task, description=self._state(run), completed=done, total=total)

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """Show the first sentence anew."""
        super().validated(run, validation, best=best)
        self._live.update(self._shown())

    def ended(self, run: Run, ending: Ending) -> None:
        """Leave the terminal as it was, and tell the end."""
        self.closed()
        super().ended(run, ending)

    def closed(self) -> None:
        """Leave the terminal as it was."""
        with suppress(OSError):  # it is gone
            self._live.stop()

    def _shown(self) -> RenderableType:
        return Group(self._progress, *self._samples[:1])


def scores_line(
    step: int, measures: Sequence[Measure], validation: Validation, *, best: bool
) -> str:
    """All measures in one line."""
    known = [(measure, validation.scores.get(measure.name)) for measure in measures]
    parts = [f"{one.title} {one.shown(value)}" for one, value in known if value is not None]
    return f"step {step:,}: valid " + "  ".join(parts) + ("  (best so far)" if best else "")


def advance(run: Run) -> tuple[float, float | None]:
    """How far the run is and where it ends, in steps or in seconds."""
    budget, progress = run.config.budget, run.progress
    ways = [
        (float(progress.step), budget.steps),
        (progress.seconds, None if budget.minutes is None else 60 * budget.minutes),
    ]
    limited = [(done, float(total)) for done, total in ways if total is not None]
    if not limited:
        return float(progress.step), None
    return max(limited, key=lambda way: way[0] / way[1])


def clock(seconds: float) -> str:
    """A time as people write it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _smoothed(old: float | None, new: float) -> float:
    return new if old is None else SMOOTHING * old + (1 - SMOOTHING) * new
