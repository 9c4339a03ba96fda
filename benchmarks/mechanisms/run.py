"""Train one mechanism after the other, each in a process of its own, and gather the report."""

import subprocess
import sys
from pathlib import Path

from ..machine import here, load_average
from ..processes import last_words, variables, with_this_package
from ..race import Race, RaceResult, Report
from ..settings import Settings, Tell
from .cell import Cell
from .contenders import MECHANISMS
from .plan import chosen, planned, task_of
from .results import Ground, MechanismsReport, Result
from .store import begun, kept_plan, result_in
from .work import INTERRUPTED

LOG = "work.log"
PATIENCE = 120.0
"""Seconds that a process may take to save its run when it is asked to end."""


def run(
    settings: Settings, *, command: str | None = None, tell: Tell = lambda _: None
) -> MechanismsReport:
    """Compare the mechanisms asked for; what is done already is not done again.

    Args:
        settings: what to compare, for how long, and where.
        command: the command to state in the report; by default the one of this process.
        tell: called with a line about each piece of work before it starts.

    Raises:
        InputError: bad data, named by file and line.
        ChoiceError: the folder holds a comparison that was asked for otherwise.
        KeyboardInterrupt: the run was interrupted; the same command goes on with it.
    """
    mechanisms, task = chosen(settings), task_of(settings)
    machine = here(settings.threads, command)
    tell("planning: vocabularies, and models of one size")
    cells = kept_plan(settings, lambda: planned(list(MECHANISMS.values()), task, settings))
    names = tuple(mechanism.name for mechanism in mechanisms)
    wanted = [cell for cell in cells if cell.mechanism in names]
    results: dict[str, Result] = {}
    absent: dict[str, str] = {}
    for number, cell in enumerate(wanted, 1):
        found = settled(cell, settings.out / cell.mechanism, f"{number} of {len(wanted)}", tell)
        if isinstance(found, Result):
            results[cell.mechanism] = found
        else:
            absent[cell.mechanism] = found
    minutes = cells[0].run.budget.minutes or 0.0
    ground = Ground(task.name, minutes, sentences=len(task.test.held_out()))
    race = RaceResult(Race(ground, names), results, absent)
    return Report(machine, settings, (race,), ground, load_average())


def settled(cell: Cell, folder: Path, place: str, tell: Tell) -> Result | str:
    """The result of a cell, trained now if need be, or why there is none."""
    found = result_in(folder)
    if found is not None:
        tell(f"{cell.mechanism} ({place}): done before")
        return found
    tell(f"{cell.mechanism} ({place}): training {cell.run.budget.minutes:g} minutes")
    code = worked(begun(folder, cell), cell.threads)
    if code in (INTERRUPTED, -2):
        raise KeyboardInterrupt
    return result_in(folder) or last_words(folder / LOG, code)


def worked(folder: Path, threads: int) -> int:
    """The exit code of the process of a cell; it ends when we do, with its run saved."""
    with (folder / LOG).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.mechanisms.work", str(folder)],
            env=with_this_package(variables(threads)),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        return process.wait()
    except BaseException:
        ended(process)
        raise


def ended(process: "subprocess.Popen[bytes]") -> None:
    """Let a process save its run: a signal from the terminal has reached it as it has us."""
    for ask in (None, process.terminate, process.kill):
        if ask is not None:
            ask()
        try:
            process.wait(timeout=PATIENCE)
            return
        except subprocess.TimeoutExpired:
            continue
