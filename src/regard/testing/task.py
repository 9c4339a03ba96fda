"""A battery of checks for tasks, ours or anybody's."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from regard.errors import InputError

from .checks.task_data import bad_data, batches, codec, loss, settings, validation
from .checks.task_runs import damage, packing, prediction, processes, resumption
from .report import Report, check_names, run_checks
from .subject import isolated
from .task_subject import TaskSubject

if TYPE_CHECKING:
    from regard.models.config import ModelConfig
    from regard.training import Settings, Task

Check = Callable[[TaskSubject], None]

_ALL: Mapping[str, Check] = {
    check.__name__: check
    for check in (
        *(settings, codec, batches, loss, validation, bad_data),
        *(resumption, damage, processes, prediction, packing),
    )
}

TASK_CHECKS: tuple[str, ...] = tuple(_ALL)
"""The names of all checks, in the order in which they run."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    "batches": ("codec",),
    "loss": ("batches",),
    "validation": ("codec",),
    "resumption": ("codec", "batches"),
    "processes": ("batches", "loss"),
    **dict.fromkeys(("damage", "prediction", "packing"), ("codec", "resumption")),
}
"""Checks that would only repeat the failure of another."""


def check_task(
    settings: "Settings",
    model: "str | ModelConfig",
    *,
    inputs: Sequence[Any],
    changes: Mapping[str, Any] | None = None,
    flawed: "Sequence[Task]" = (),
    other: "Task | None" = None,
    only: Iterable[str] | None = None,
    tolerance: float = 1e-4,
) -> Report:
    """Put a task to the test, whoever wrote it: it is trained some steps in many ways.

    ============  ==============================================================================
    check         what is promised
    ============  ==============================================================================
    settings      they come back from JSON; published, they name no folder
    codec         learned again it is the same, and so it is from its files
    batches       two processes have the examples of one; a stream goes on where it was left
    loss          parts of a batch add up to the whole, in loss and gradient; nothing adds nothing
    validation    known measures, the same every time, on what ``identity`` names, and the model is
                  left as it was
    bad_data      flawed data is one sentence
    resumption    a run killed by ``kill -9`` and resumed ends with the same bits
    damage        a byte that is flipped in any file of a checkpoint is refused, nonsense in a file
                  of the codec raises nothing but our errors
    processes     two processes make the run of one whose batches are twice as large
    prediction    a sample for every input, in their order, in JSON and in a terminal
    packing       the predictor of a packed model answers like that of the run
    ============  ==============================================================================

    >>> task = SortingTask(length=3)
    >>> settings = Settings(task=task, batch={"max_tokens": 96})
    >>> check_task(settings, "sorter-tiny", inputs=["3 1 2", "9 0 5"])

    Give it little data and a tiny model: some runs of four steps are made, some of them in
    processes of their own, in a temporary folder, on the CPU, without dropout. Where processes
    cannot be forked, the task must be importable by its name.

    Args:
        settings: the task, with what it takes to train it; budget and intervals are replaced.
        model: a preset's name, or a config.
        inputs: what its predictor is asked, two at least.
        changes: fields of the model's config which are to be different.
        flawed: the same task with data that nobody can learn from.
        other: the same task with other examples held out.
        only: names of the checks to run; all of :data:`TASK_CHECKS` if not given.
        tolerance: what rounding, and draws that differ between processes, may change.

    Returns:
        What came of every check; prints as a table.

    Raises:
        CheckError: a check failed; names it and says what is wrong. See :func:`examine_task` for a
            report of the failures instead.
        ChoiceError: an unknown name.
        InputError: fewer than two inputs, whose order says nothing.
    """
    return examine_task(
        settings,
        model,
        inputs=inputs,
        changes=changes,
        flawed=flawed,
        other=other,
        only=only,
        tolerance=tolerance,
    ).require()


def examine_task(
    settings: "Settings",
    model: "str | ModelConfig",
    *,
    inputs: Sequence[Any],
    changes: Mapping[str, Any] | None = None,
    flawed: "Sequence[Task]" = (),
    other: "Task | None" = None,
    only: Iterable[str] | None = None,
    tolerance: float = 1e-4,
) -> Report:
    """The report of :func:`check_task`, also where checks fail."""
    names = check_names(TASK_CHECKS, only)
    if len(inputs) < 2:
        raise InputError(f"needs two inputs at least, to see their order, got {len(inputs)}")
    with isolated(), TemporaryDirectory(prefix="regard-task-") as folder:
        subject = TaskSubject(
            settings=settings,
            model=model,
            inputs=tuple(inputs),
            changes=dict(changes or {}),
            flawed=tuple(flawed),
            other=other,
            tolerance=tolerance,
            folder=Path(folder),
        )
        results = run_checks(_ALL, names, subject, NEEDS)
    return Report(type(settings.task).__name__, results)
