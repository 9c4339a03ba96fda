"""What a run knows about itself once it is done."""

from pathlib import Path
from typing import Any, NamedTuple

from regard.data.vocabulary import Vocabularies
from regard.storage.run_folder import read_best
from regard.tasks.translation.codec import load_vocabularies
from regard.tasks.translation.validation import Scores

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
    vocabularies: Vocabularies
    progress: Progress
    scores: Scores | None
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
        vocabularies=load_vocabularies(folder, found.config.model),
        progress=progress,
        scores=_scores(folder.parent / LOG, found.step),
    )


def _scores(path: Path, step: int) -> Scores | None:
    if not path.exists():
        return None
    of_step = [line for line in log.read(path) if line["step"] == step and _is_complete(line)]
    return Scores._make(of_step[-1].get(name) for name in Scores._fields) if of_step else None


def _is_complete(line: dict[str, Any]) -> bool:
    """Whether it tells of a validation, every measure of which is a number."""
    measures = set(Scores._fields) - {"aer"}
    return line.get("kind") == "valid" and all(line.get(name) is not None for name in measures)
