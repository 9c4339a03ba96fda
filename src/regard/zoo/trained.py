"""What a run knows about itself once it is done."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from regard.storage.checkpoint import Resumption
from regard.storage.run_folder import read_best
from regard.storage.stored_model import read_codec

from ..training import log
from ..training.config import RunConfig
from ..training.launch import LOG
from ..training.progress import Progress
from ..training.resumption import load_run
from ..types import PathLike, Tensor


class Trained(NamedTuple):
    """A checkpoint with all that is known about how it came to be."""

    config: RunConfig
    weights: dict[str, Tensor]
    codec: Any
    progress: Progress
    scores: Mapping[str, float | None] | None
    """Of the validation at its step; ``None`` if there was none, or no log lies beside it."""


def trained(path: PathLike) -> Trained:
    """What is known about a checkpoint, or about the best or else last one of a run.

    Args:
        path: a checkpoint, or the folder of a run.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or nothing but a packed model.
    """
    return read_best(path, _trained)


def _trained(folder: Path) -> Trained:
    found = load_run(folder)
    progress = Progress()
    progress.load_state_dict(found.resume["progress"])
    return Trained(
        config=found.config,
        weights=found.model,
        codec=read_codec(folder, found.config.task.kind, found.config.model),
        progress=progress,
        scores=_scores(folder.parent / LOG, found),
    )


def _scores(path: Path, found: Resumption[RunConfig]) -> Mapping[str, float | None] | None:
    """The scores of the validation at a checkpoint's step; the one it went by is among them."""
    if not path.exists():
        return None
    names = [measure.name for measure in found.config.task.measures]
    of_step = [
        line
        for line in log.read(path)
        if line["step"] == found.step
        and line.get("kind") == "valid"
        and line.get(found.config.measure) is not None
    ]
    if not of_step:
        return None
    return {name: of_step[-1][name] for name in names if name in of_step[-1]}
