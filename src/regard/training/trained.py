"""Training in one call, for Python.

>>> run = regard.train("pairs.tsv", "transformer-small", steps=2000)
>>> run.scores["bleu"], run.folder
>>> run.predictor.translate(["The black cat ate the mouse."])
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from regard.config import Config
from regard.models.config import ModelConfig
from regard.storage.run_folder import read_best
from regard.storage.stored_model import read_model
from regard.task_registry import task_class
from regard.types import PathLike

from . import log
from .changes import Names, flat
from .launch import LOG, free_folder, launch
from .run import Ending, Observer, Observers, Run
from .settings import recipe_for
from .task import Task, Validation
from .vitals import Vitals


@dataclass
class TrainedRun:
    """A run that has come to an end."""

    folder: Path
    """Checkpoints and log."""
    ending: Ending
    """Why it ended."""
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """Of the best validation, by the names of the task's measures."""

    @cached_property
    def log(self) -> dict[str, list[Any]]:
        """The lines of ``log.jsonl`` as columns; ``None`` where a line has no such value."""
        lines = log.read(self.folder / LOG)
        names = dict.fromkeys(name for line in lines for name in line)
        return {name: [line.get(name) for line in lines] for name in names}

    @cached_property
    def predictor(self) -> Any:
        """The best model, ready to be used."""
        return read_best(self.folder, read_model).predictor()


def train(
    data: Task | Config | PathLike | None = None,
    model: str | ModelConfig | None = None,
    folder: PathLike | None = None,
    *,
    task: str = "translation",
    progress: bool = True,
    observer: Observer | None = None,
    device: str | None = None,
    changes: Mapping[str, Any] | None = None,
    **more: Any,
) -> TrainedRun:
    """Train a model, as ``regard train`` does.

    >>> regard.train(GrammarData(max_words=7), "bahdanau-small", steps=300, rate=2e-3)

    Args:
        data: what to learn from: a file, the data of a task, or a whole task; what the task has at
            hand if not given.
        model: a preset's name or a config; the task's usual one if not given.
        folder: where checkpoints and log go; a new one below ``runs/`` if not given.
        task: what is learned, where ``data`` does not say.
        progress: whether to show on stderr how it goes.
        observer: who else is told how it goes.
        device: where to compute; the GPU if there is one.
        changes: settings by dotted paths, e.g. ``{"model.hidden_dim": 64}``.
        more: settings by the names of the flags of ``regard train``.

    Raises:
        ChoiceError: an unknown name, or values that do not fit; all of them at once.
        InputError: bad data.
        StorageError: the folder holds a run already, or cannot be written to.
        DivergedError: a step whose loss is no number.
    """
    kind = data.kind if isinstance(data, Task) else task
    names = Names(task_class(kind))
    chosen = model or task_class(kind).default_model
    said = names.said({**(changes or {}), **more}, _about(data))
    recipe = recipe_for(chosen, said, names, kind)
    place = free_folder(chosen if isinstance(chosen, str) else chosen.kind, folder)
    best = _Best()
    told: list[Observer] = [best, *([observer] if observer else [])]
    say = None
    if progress:
        from .view import view  # rich comes with an extra

        shown = view(place)
        told.append(shown)
        say = shown.tell
    told.append(Vitals(place, tell=say))
    ending = launch(
        recipe.settings,
        chosen,
        place,
        changes=recipe.changes,
        observer=Observers(told),
        device=device,
    )
    return TrainedRun(place, ending, best.scores)


class _Best(Observer):
    """Remembers the scores of the best validation."""

    def __init__(self) -> None:
        self.scores: dict[str, float | None] = {}

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """Note them."""
        if best:
            self.scores = dict(validation.scores)


def _about(data: Task | Config | PathLike | None) -> dict[str, Any]:
    """What was said of the task; a setting is said if it was given."""
    if data is None:
        return {}
    if isinstance(data, Task):
        return flat({"task": _given(data)})
    if isinstance(data, Config):
        return flat({"task": {"data": _given(data)}})
    return {"task.data.train": (str(data),), "task.data.kind": "files"}


def _given(config: Config) -> dict[str, Any]:
    """The settings that were given, and which form they have."""
    names = [*config.model_fields_set, *({"kind"} & type(config).model_fields.keys())]
    values = {name: getattr(config, name) for name in names}
    return {
        name: _given(value) if isinstance(value, Config) else value
        for name, value in values.items()
    }
