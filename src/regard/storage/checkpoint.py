"""A checkpoint: one folder that holds a model for use, and a run to go on with.

::

    step-00001200/
      config.json          the configuration, a pydantic model
      model.safetensors    the model's weights and buffers
      …                    the tokenizer's files, as given
      resume.json          optimizer, scheduler, randomness, data position, counters
      resume.safetensors   … and their tensors
      manifest.json        size and sha256 of all of these

No file can hold code. A folder whose manifest is missing or does not fit is no checkpoint. One that
is to be used and not gone on with has no ``resume`` files, and its weights may be stored as
:mod:`.quantised` says.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from errno import ENOSPC
from pathlib import Path, PurePosixPath
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError
from torch import Tensor

from regard.config import problems
from regard.errors import ChoiceError, DamagedError, InputError, StorageError
from regard.json_text import parsed

from . import manifest, quantised, tensors
from .manifest import Manifest
from .regular import new_folder, write_file
from .tensors import Outline, Packed, pack, unpack

CONFIG = "config.json"
MODEL = "model.safetensors"
RESUME = "resume.json"
RESUME_TENSORS = "resume.safetensors"
RESERVED = frozenset({CONFIG, MODEL, RESUME, RESUME_TENSORS, manifest.NAME})

Attachment = bytes | Path | Callable[[Path], object]
"""A file's contents, a file to copy, or a function that writes to the path it is given."""

Settings = TypeVar("Settings", bound=BaseModel)
Fit = Callable[[Settings, Mapping[str, Outline], Path], None]
"""Raises :class:`DamagedError` if weights are not those of a configuration, by what their file says
of them."""


@dataclass(frozen=True)
class Checkpoint:
    """Everything a run is, at one step."""

    step: int
    """Updates made so far."""
    config: BaseModel
    """What the model is built from."""
    model: Mapping[str, Tensor]
    """Its ``state_dict()``."""
    resume: Mapping[str, object] | None = field(default_factory=dict)
    """What else it takes to go on: numbers, text, tensors, lists, tuples and dicts of them;
    ``None`` for a model that is only to be used."""
    attachments: Mapping[str, Attachment] = field(default_factory=dict)
    """Further files, such as the tokenizer's, by name."""
    notes: Mapping[str, Attachment] = field(default_factory=dict)
    """Files for people, who may change them: the manifest does not list them."""


@dataclass(frozen=True)
class Resumption(Generic[Settings]):
    """What it takes to go on with a run; fields as in :class:`Checkpoint`."""

    folder: Path
    """Where it was found."""
    step: int
    config: Settings
    model: dict[str, Tensor]
    resume: dict[str, Any]


def write(checkpoint: Checkpoint, target: Path) -> None:
    """Write ``checkpoint`` to the new folder ``target``, whole or not at all.

    Raises:
        StorageError: the disk is full, the folder may not be written to, the name is taken, or
            the configuration would not come back from its file as it is.
        DtypeError: something in it cannot be stored.
        ChoiceError: an attachment has a name it cannot have.
        InputError: an attachment cannot be read.
    """
    try:
        with new_folder(target) as draft:
            for name, data in _files(checkpoint):
                write_file(draft / name, data)
            for name, attachment in checkpoint.attachments.items():
                _attach(draft, name, attachment)
            manifest.seal(draft)
            for name, note in checkpoint.notes.items():
                _attach(draft, name, note)
    except OSError as error:
        advice = "make room or name another folder"
        if error.errno == ENOSPC:
            advice += " (df -h tells of bytes, df -i of files)"
        if checkpoint.resume is not None:
            advice = f"the checkpoints before it are untouched: {advice}, and resume"
        raise StorageError(
            f"{target} cannot be written, {error.strerror or error}; {advice}"
        ) from error


def load(
    folder: Path, config: type[Settings], fit: Fit[Settings] | None = None
) -> tuple[Settings, dict[str, Tensor]]:
    """Configuration and ``state_dict`` of the model in ``folder``, every file being as written.

    Args:
        folder: a checkpoint.
        config: the class of its configuration.
        fit: raises :class:`DamagedError` where the configuration is not that of the weights; it is
            asked before any of them is read.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: another version of regard wrote it.
    """
    listed = manifest.read(folder)
    settings = _settings(folder, config, listed)
    if fit is not None:
        fit(settings, _outlines(folder, listed), folder / MODEL)
    manifest.verify(folder)
    return settings, quantised.restored(_tensors(folder, MODEL, listed))


def load_config(folder: Path, config: type[Settings]) -> Settings:
    """The configuration in ``folder`` alone; the weights are not looked at. Errors as in
    :func:`load`.
    """
    return _settings(folder, config, manifest.read(folder))


def load_to_resume(
    folder: Path, config: type[Settings], fit: Fit[Settings] | None = None
) -> Resumption[Settings]:
    """The whole run in ``folder``; arguments and errors as in :func:`load`.

    Raises:
        StorageError: also where the model is only to be used.
    """
    listed = manifest.read(folder)
    if RESUME not in listed.files:
        raise StorageError(
            f"{folder} holds a model to be used, and nothing to go on with; name the run that it "
            "was packed from"
        )
    settings, model = load(folder, config, fit)
    data = manifest.contents(folder, RESUME, listed)
    named = _tensors(folder, RESUME_TENSORS, listed)
    try:
        content = unpack(Packed(parsed(data), named), source=folder / RESUME)
        if not isinstance(state := content["state"], dict):
            raise TypeError
        return Resumption(folder, content["step"], settings, model, state)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DamagedError(
            f"{folder / RESUME} is damaged: it is no state of a run; use another checkpoint"
        ) from None


def _settings(folder: Path, config: type[Settings], listed: Manifest) -> Settings:
    data = manifest.contents(folder, CONFIG, listed, most=manifest.LARGEST)
    try:
        return config.model_validate_json(data)
    except ValidationError as error:
        raise StorageError(
            f"{folder / CONFIG} needs to be a {config.__name__}, and does not fit: "
            f"{problems(error)}; use the regard that wrote it"
        ) from None


def _outlines(folder: Path, listed: Manifest) -> dict[str, Outline]:
    with manifest.opened(folder, MODEL, listed) as file:
        return tensors.outlines(file, source=folder / MODEL)


def _files(checkpoint: Checkpoint) -> Iterator[tuple[str, bytes]]:
    """All but attachments and manifest, one after the other: the memory of one is enough."""
    yield CONFIG, _config_bytes(checkpoint.config)
    yield MODEL, tensors.to_bytes(checkpoint.model)
    if checkpoint.resume is not None:
        resume = pack({"step": checkpoint.step, "state": dict(checkpoint.resume)})
        yield RESUME, json.dumps(resume.data, allow_nan=False).encode()
        yield RESUME_TENSORS, tensors.to_bytes(resume.tensors)


def _tensors(folder: Path, name: str, listed: Manifest) -> dict[str, Tensor]:
    return tensors.from_bytes(manifest.contents(folder, name, listed), source=folder / name)


def require_storable(config: BaseModel) -> None:
    """Find out whether a configuration can be saved, before there is anything to be lost.

    Raises:
        StorageError: it would not come back from its file as it is.
    """
    _config_bytes(config)


def _config_bytes(config: BaseModel) -> bytes:
    """The configuration as JSON, tried out: what does not come back must not be trusted to."""
    data = config.model_dump_json(indent=1).encode()
    try:
        same = type(config).model_validate_json(data) == config
    except ValidationError:
        same = False
    if not same:
        raise StorageError(
            f"a checkpoint needs a configuration that comes back from JSON as it was, and this "
            f"{type(config).__name__} does not; keep to finite numbers, text, lists and dicts in it"
        )
    return data + b"\n"


def _attach(draft: Path, name: str, attachment: Attachment) -> None:
    path = PurePosixPath(name)
    if name in RESERVED or path.is_absolute() or ".." in path.parts or not path.name:
        raise ChoiceError(
            f"a file of a checkpoint needs a name inside its folder that is not taken, got {name!r}"
        )
    target = draft / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(attachment, bytes):
        write_file(target, attachment)
    elif isinstance(attachment, Path):
        write_file(target, _contents(attachment))
    else:
        attachment(target)


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"a checkpoint needs {path} to copy, and it cannot be read, {error.strerror or error}"
        ) from None
