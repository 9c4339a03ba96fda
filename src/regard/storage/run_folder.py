"""The folder of a run: its last checkpoints, its best one, and one writer at a time.

::

    run/
      step-00001000/   the last but one
      step-00001200/   the last
      best-00000800/   the best so far, by whatever measure the run goes by

There is no pointer to the last one that could be wrong: the highest number is. A step that is
written twice gets ``step-00001200.1``, which counts as the later one.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from pydantic import BaseModel
from torch import Tensor

from regard.errors import DamagedError, RegardError, StorageError
from regard.types import PathLike

from . import checkpoint as checkpoints
from .checkpoint import Checkpoint, Resumption
from .lock import NAME as LOCK
from .lock import hold
from .manifest import NAME as MANIFEST
from .regular import discard, sweep, sync

Kind = Literal["step", "best"]
Settings = TypeVar("Settings", bound=BaseModel)
Result = TypeVar("Result")
Load = Callable[[Path, type[Settings]], Resumption[Settings]]
"""Reads a checkpoint to go on with."""

_NAME = re.compile(r"(?P<kind>step|best)-(?P<step>\d{8,})(?:\.(?P<again>[1-9]\d*))?")


class Place(NamedTuple):
    """A checkpoint in a run's folder; later ones compare greater."""

    step: int
    again: int
    kind: str
    path: Path


def places(run: Path, kind: Kind) -> list[Place]:
    """The checkpoints of one kind in ``run`` by their names, the earliest first."""
    found = []
    for path in run.glob(f"{kind}-*"):
        match = _NAME.fullmatch(path.name)
        if match and path.is_dir():
            found.append(Place(int(match["step"]), int(match["again"] or 0), kind, path))
    return sorted(found)


def load_model(path: PathLike, config: type[Settings]) -> tuple[Settings, dict[str, Tensor]]:
    """Configuration and ``state_dict`` of a checkpoint, or of the best or else last of a run.

    Args:
        path: a checkpoint, or the folder of a run.
        config: the class of its configuration.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
    """
    return read_best(path, lambda folder: checkpoints.load(folder, config))


def read_best(path: PathLike, read: Callable[[Path], Result]) -> Result:
    """What ``read`` makes of a checkpoint, or of the best or else last of a run.

    Safe beside a run that goes on: a checkpoint that is replaced meanwhile is looked up again.

    Args:
        path: a checkpoint, or the folder of a run.
        read: reads a checkpoint's folder.

    Raises:
        StorageError: there is no checkpoint.
    """
    path = Path(path)
    if _NAME.fullmatch(path.name) or (path / MANIFEST).exists():
        return read(path)
    while found := places(path, "best") or places(path, "step"):
        folder = found[-1].path
        try:
            return read(folder)
        except RegardError:
            if folder.exists():
                raise
    raise _empty(path)


class RunFolder:
    """A run's folder in the hands of the one process that writes to it; see :func:`opened`.

    Args:
        path: the folder.
        keep: how many of the last checkpoints to keep.
    """

    def __init__(self, path: PathLike, *, keep: int = 2) -> None:
        assert keep >= 1, "a run without a checkpoint cannot be resumed"
        self.path = Path(path)
        self.keep = keep

    @property
    def steps(self) -> list[int]:
        """The steps one could resume from, the earliest first; empty in a new folder."""
        return [place.step for place in self._candidates()]

    def save(self, checkpoint: Checkpoint) -> Path:
        """Write the last checkpoint; once it is in its place, delete those not kept.

        Raises:
            StorageError: it cannot be written. What was there before is untouched.
        """
        return self._save(checkpoint, "step", self.keep)

    def save_best(self, checkpoint: Checkpoint) -> Path:
        """Write the best checkpoint so far; once it is in its place, delete the one before.

        Raises:
            StorageError: it cannot be written. What was there before is untouched.
        """
        return self._save(checkpoint, "best", 1)

    def resume(
        self, config: type[Settings], load: Load[Settings] | None = None
    ) -> Resumption[Settings]:
        """The last checkpoint that is whole; a warning for each one passed over.

        Damaged ones are set aside under ``damaged-…`` once a whole one is found.

        Args:
            config: the class of the configuration.
            load: reads a checkpoint; :func:`regard.storage.checkpoint.load_to_resume` if not
                given.

        Raises:
            DamagedError: there are checkpoints, and none is whole.
            StorageError: there is none, or another version of regard wrote it.
        """
        load = load or checkpoints.load_to_resume
        damage: dict[Path, str] = {}
        for place in reversed(self._candidates()):
            try:
                found = load(place.path, config)
            except DamagedError as error:
                damage[place.path] = _without_advice(error)
                continue
            for path, what in damage.items():
                _set_aside(path)
                warnings.warn(f"{what}; going on from {place.path.name}", stacklevel=2)
            return found
        if damage:
            raise DamagedError(
                f"{self.path} needs one whole checkpoint to resume from, and has none: "
                f"{', '.join(damage.values())}; start again in another folder"
            )
        raise _empty(self.path)

    def _candidates(self) -> list[Place]:
        return sorted(places(self.path, "step") + places(self.path, "best"))

    def _save(self, checkpoint: Checkpoint, kind: Kind, keep: int) -> Path:
        target = self._free_name(kind, checkpoint.step)
        checkpoints.write(checkpoint, target)
        others = [place.path for place in places(self.path, kind) if place.path != target]
        for path in others[: max(0, len(others) - keep + 1)]:
            try:
                discard(path)
            except OSError as error:
                warnings.warn(f"{path} cannot be deleted, {error.strerror or error}", stacklevel=3)
        return target

    def _free_name(self, kind: Kind, step: int) -> Path:
        taken = [place.again for place in places(self.path, kind) if place.step == step]
        again = f".{max(taken) + 1}" if taken else ""
        return self.path / f"{kind}-{step:08}{again}"


@contextmanager
def opened(path: PathLike, *, keep: int = 2) -> Iterator[RunFolder]:
    """The folder of a run, made if need be, locked, and rid of what dead writers left.

    One that was made and stayed empty is removed again. Under several processes, only the first of
    them opens it.

    Args:
        path: the folder.
        keep: how many of the last checkpoints to keep.

    Raises:
        BusyError: another run holds the folder.
        StorageError: it cannot be made or written to.
    """
    path = Path(path)
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        if not path.is_dir():
            path.mkdir(parents=True, exist_ok=True)
            sync(path.parent)
    except OSError as error:
        raise _unusable(path, error) from None
    with hold(path):
        try:
            sweep(path)
        except OSError as error:
            raise _unusable(path, error) from None
        try:
            yield RunFolder(path, keep=keep)
        finally:
            _remove_if_empty(path, missing)


def require_run(path: Path) -> None:
    """Find out whether a folder holds a run, and leave it as it is.

    Raises:
        StorageError: there is no checkpoint in it.
    """
    if not (places(path, "step") or places(path, "best")):
        raise _empty(path)


def _remove_if_empty(path: Path, made: list[Path]) -> None:
    """Take back the folders that were made, the innermost first, if nothing was put there."""
    if not made or {one.name for one in path.iterdir()} - {LOCK}:
        return
    with suppress(OSError):  # somebody else may have put something there just now
        (path / LOCK).unlink()
        for folder in made:
            folder.rmdir()


def _set_aside(path: Path) -> None:
    target = path.with_name(f"damaged-{path.name}")
    count = 1
    while target.exists():
        count += 1
        target = path.with_name(f"damaged-{path.name}-{count}")
    try:
        path.rename(target)
    except OSError as error:
        raise _unusable(path, error) from None


def _without_advice(error: DamagedError) -> str:
    return str(error).rpartition(";")[0]


def _empty(path: Path) -> StorageError:
    return StorageError(f"{path} has no checkpoint; name the folder of a run that has saved one")


def _unusable(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{path} needs to be a folder that can be written to, and is not, "
        f"{error.strerror or error}; name another folder"
    )
