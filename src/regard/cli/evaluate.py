"""``regard evaluate``: how good trained models are, of whatever task."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..errors import ChoiceError
from .flags import Several
from .translation.options import ComputeOptions

if TYPE_CHECKING:
    from ..storage.stored_model import StoredModel

USUAL = "translation"
OF_PICTURES = ("captioning", "image-classification", "visual-question-answering")


def command(words: Sequence[str]) -> Callable[..., None]:
    """``regard evaluate`` for models of the task of the first one that ``words`` name.

    Translators have more words of their own: beams, alignments, translations of others.
    """
    from .evaluation.translation import evaluate as of_translators

    return of_translators if _kind(words) == USUAL else evaluate


def _kind(words: Sequence[str]) -> str:
    """The task of the first model; the usual one where there is none, or what is no model."""
    if not words or words[0].startswith("-"):
        return USUAL
    from ..errors import RegardError

    try:
        return str(_stored(words[0])["kind"])
    except RegardError:  # told by whoever opens it
        return USUAL


def evaluate(
    *models: str,
    data: Annotated[tuple[str, ...], Several] = (),
    columns: Annotated[tuple[str, ...], Several] = (),
    pictures: str | None = None,
    sentences: int = 1000,
    samples: int = 1000,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Measure trained models of one task on examples held out, beside each other.

    Scores with 95 % intervals, tables of labels and of what was taken for what, accuracy by length,
    tokens per second. Of several models each is compared with the first: the difference, and how
    probable one as large is between equals.

    Args:
        models: Folders of runs or checkpoints, or names of the zoo, all of one task.
        data: Files to test on, as for training; our own grammar if there is none.
        columns: Where label and text, or the tag, stand in them: names, or numbers from 1.
        pictures: Folder or zip of the pictures that --data names, of models that look at some.
        sentences: Of the grammar, or scenes, how many.
        samples: How often the test is drawn again for intervals and comparisons; 0 does without.
        as_json: Print JSON instead of tables.
        pace: Where to compute.
    """
    from ..measures import Resampling
    from ..task_registry import evaluation_function
    from .console import for_tables
    from .translation.options import fitted

    device = (pace or ComputeOptions()).start()
    resampling = fitted(Resampling, samples=samples) if samples else None
    stored = {name.rstrip("/") or name: _model(name) for name in models}
    kind = _one_task({name: str(one.task["kind"]) for name, one in stored.items()})
    named = {} if pictures is None else {"pictures": pictures}
    if pictures is not None and kind not in OF_PICTURES:
        raise ChoiceError(f"--pictures is for models that look at some, and these are of {kind}")
    report = evaluation_function(kind)(
        {name: one.predictor(device) for name, one in stored.items()},
        data,
        columns=[int(column) if column.isdecimal() else column for column in columns],
        sentences=sentences,
        resampling=resampling,
        **named,
    )
    if as_json:
        print(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
    else:
        for_tables().print(report)


def _one_task(kinds: Mapping[str, str]) -> str:
    if len(set(kinds.values())) != 1:
        told = ", ".join(f"{name} is of {kind}" for name, kind in kinds.items())
        raise ChoiceError(f"evaluate needs models of one task, got {told or 'none'}")
    return next(iter(kinds.values()))


def _model(name: str) -> "StoredModel":
    from ..storage.run_folder import read_best
    from ..storage.stored_model import read_model
    from .models import folder_of

    return read_best(folder_of(name, "evaluate"), read_model)


def _stored(name: str) -> Any:
    """What is stored of the task of a model, without its weights."""
    from ..storage import checkpoint
    from ..storage.run_folder import read_best
    from ..storage.stored_model import ModelSettings
    from .models import folder_of

    def read(folder: Any) -> Any:
        return checkpoint.load_config(folder, ModelSettings)

    return read_best(folder_of(name, "evaluate"), read).task.model_dump()
