"""A whole run, from its settings or from its folder, to its end."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regard.config import problems
from regard.errors import ChoiceError, InputError, StorageError
from regard.models import config_from, preset_config, presets
from regard.models.config import ModelConfig
from regard.storage import checkpoint as checkpoints
from regard.storage import run_folder
from regard.storage.checkpoint import Resumption
from regard.storage.run_folder import RunFolder, read_best
from regard.storage.stored_model import StoredModel, read_codec, read_model
from regard.training.resumption import shared_out
from regard.types import PathLike

from . import log as logs
from .changes import deep, nested
from .config import Budget, RunConfig, Settings
from .distributed.world import Group, joined
from .loop import RunRecorder, awaited, train
from .plan import left_out, plan_of
from .resumption import load_run, replanned
from .run import Ending, Observer, Run, begin

LOG = "log.jsonl"


def launch(
    settings: Settings,
    model: str | ModelConfig | StoredModel,
    folder: PathLike,
    *,
    changes: Mapping[str, Any] | None = None,
    observer: Observer | None = None,
    device: str | None = None,
) -> Ending:
    """Train a new model, and keep it in ``folder``.

    Args:
        settings: the task, and how to train.
        model: a preset's name, a config, whose sizes follow the codec, or a trained model to go on
            from, whose codec stays.
        folder: where checkpoints and log go.
        changes: fields of the model's config which are to be different.
        observer: who is told how it goes.
        device: where to compute; the GPU if there is one.

    Raises:
        StorageError: the folder holds a run already, or cannot be written to.
        InputError: bad data.
        ChoiceError: no such preset, or changes that the weights of a trained model do not fit.
        DivergedError: a step whose loss is no number.
    """
    _require_possible(settings, model)
    with joined(device) as group, _opened(Path(folder), group, new=True) as opened:
        _require_new(opened)
        run = _new_run(settings, model, changes, group)
        return _trained(run, opened, observer, resumed=False)


def plan(
    settings: Settings,
    model: str | ModelConfig | StoredModel,
    *,
    changes: Mapping[str, Any] | None = None,
    device: str | None = None,
) -> list[str]:
    """What :func:`launch` would do, in lines: data is read and the model built, nothing is kept.

    Args:
        settings: the task, and how to train.
        model: as for a launch.
        changes: fields of the model's config which are to be different.
        device: where to compute; the GPU if there is one.
    """
    _require_possible(settings, model)
    with joined(device) as group:
        run = _new_run(settings, model, changes, group)
        return [*plan_of(run), *left_out(run)]


def relaunch(
    folder: PathLike,
    *,
    budget: Budget | None = None,
    observer: Observer | None = None,
    device: str | None = None,
) -> Ending:
    """Go on with the run in ``folder``, from its last checkpoint that is whole.

    Args:
        folder: of the run.
        budget: what of it is to be another than before; a schedule that ends with it follows.
        observer: who is told how it goes.
        device: where to compute; the GPU if there is one.

    Raises:
        StorageError: there is no run, or its files are damaged.
        ChoiceError: more steps than a schedule had, which has come to its end at rate zero.
        InputError: the data of the run is not what it was.
        DivergedError: a step whose loss is no number.
    """
    with joined(device) as group, _opened(Path(folder), group, new=False) as opened:
        found = _found(opened, group)
        codec = read_codec(found.folder, found.config.task.kind, found.config.model)
        config = _resumed(found, group, budget)
        run = begin(config, codec, group.processes)
        _require_alike(run)
        run.restore(found)
        return _trained(run, opened, observer, resumed=True)


def free_folder(name: str, folder: PathLike | None = None) -> Path:
    """The folder, or ``runs/<name>``, with the first number behind it that is not taken."""
    if folder is not None:
        return Path(folder)
    usual = free = Path("runs") / name
    number = 1
    while free.exists():
        number += 1
        free = usual.with_name(f"{usual.name}-{number}")
    return free


def load_origin(path: PathLike) -> StoredModel:
    """A trained model to go on from: a checkpoint, a packed model, or the best of a run.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
    """
    return read_best(path, read_model)


def _config(settings: Settings, origin: StoredModel, model: ModelConfig) -> RunConfig:
    """All settings, known to be right and to come back from a file: a copy was not checked."""
    fields = {name: getattr(settings, name) for name in Settings.model_fields}
    fields |= {"ancestor": origin.ancestor, "model": model}
    if origin.ancestor is not None:
        fields["task"] = settings.task.going_on(origin.task, origin.codec)
    try:
        config = RunConfig(**fields)
    except ValidationError as error:
        raise ChoiceError(f"these settings do not fit: {problems(error)}") from None
    checkpoints.require_storable(config)
    return config


def _require_possible(settings: Settings, model: str | ModelConfig | StoredModel) -> None:
    """What can be told before data is read."""
    if isinstance(model, str):
        presets[model]
    elif isinstance(model, StoredModel):
        known = (settings.task.kind, *settings.task.adopts)
        if model.task["kind"] not in known:
            raise ChoiceError(
                f"the model to go on from was trained for {model.task['kind']}, and this run is "
                f"for {settings.task.kind}; name a model of {' or '.join(known)}"
                if settings.task.adopts
                else f"the model to go on from was trained for {model.task['kind']}, and this run "
                f"is for {settings.task.kind}; name a model of the same task"
            )


def _new_run(
    settings: Settings,
    model: str | ModelConfig | StoredModel,
    changes: Mapping[str, Any] | None,
    group: Group,
) -> Run:
    """A run before its first step."""
    settings = settings.model_copy(update={"task": settings.task.located()})
    start = model if isinstance(model, StoredModel) else _untrained(model, settings)
    adopted = isinstance(model, StoredModel) and model.task["kind"] != settings.task.kind
    if adopted:
        start = settings.task.adopted(start)
    chosen = config_from(deep(start.config.model_dump(), nested(dict(changes or {}))))
    config = _config(settings, start, chosen)
    run = begin(config, start.codec, group.processes, start.weights, partly=adopted)
    _require_alike(run)
    return run


def _untrained(model: str | ModelConfig, settings: Settings) -> StoredModel:
    """A preset or a config for the codec of the data, and no weights."""
    codec = settings.task.learn()
    if isinstance(model, str):
        config = preset_config(model, **codec.sizes())
    else:
        config = config_from(model.model_dump() | codec.sizes())
    return StoredModel({}, config, {}, codec)


def _resumed(found: Resumption[RunConfig], group: Group, budget: Budget | None) -> RunConfig:
    """The config to go on with: the same batches in all, however many processes share them."""
    batch = shared_out(found.config.batch, found.resume["data"], group.count)
    config = replanned(found.config, budget, step=found.step)
    return config.model_copy(update={"batch": batch})


def _trained(
    run: Run, folder: RunFolder | None, observer: Observer | None, *, resumed: bool
) -> Ending:
    with ExitStack() as stack:
        told = observer if observer is not None and run.processes.first else Observer()
        stack.callback(told.closed)
        log = None
        if folder is not None:
            step = run.progress.step if resumed else None
            log = stack.enter_context(logs.opened(folder.path / LOG, step=step))
        interruption = stack.enter_context(awaited())
        recorder = RunRecorder(run, folder=folder, log=log, observer=told, resumed=resumed)
        return train(run, recorder, interruption)


@contextmanager
def _opened(folder: Path, group: Group, *, new: bool) -> Iterator[RunFolder | None]:
    """The run's folder for the first process, nothing for the others."""
    if not group.first:
        yield None
        return
    if not new:
        run_folder.require_run(folder)
    with run_folder.opened(folder) as opened:
        yield opened


def _require_new(folder: RunFolder | None) -> None:
    if folder is not None and folder.steps:
        raise StorageError(
            f"a new run needs a folder without one, and {folder.path} holds one at step "
            f"{folder.steps[-1]}; name another folder, or resume it"
        )


def _require_alike(run: Run) -> None:
    """All processes have read the same data, and their tokens have the same numbers."""
    here = run.batches.state_dict()["data"]
    there = run.processes.broadcast(here)
    if here != there:
        raise InputError(
            f"all processes need the same data, but process {run.processes.rank} has read {here!r} "
            f"and process 0 {there!r}; give every machine the same files"
        )


def _found(folder: RunFolder | None, group: Group) -> Resumption[RunConfig]:
    """The checkpoint to go on from; the first process chooses it, and all read it."""
    if folder is None:
        return load_run(Path(group.broadcast(None)))
    found = folder.resume(RunConfig, load_run)
    group.broadcast(str(found.folder))
    return found
