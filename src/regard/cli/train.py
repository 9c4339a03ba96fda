"""``regard train``: a translator from sentence pairs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

from ..errors import ChoiceError
from .exits import Exit, cleaned_up
from .training.options import (
    BudgetOptions,
    DataOptions,
    Several,
    TrainingOptions,
    VocabularyOptions,
    words,
)

if TYPE_CHECKING:
    from ..storage.stored_model import StoredModel
    from ..training.observer import Ending, Observer

DEFAULT = "bahdanau-small"
EXITS: "dict[Ending, Exit]" = {
    "steps": Exit.DONE,
    "minutes": Exit.DONE,
    "patience": Exit.DONE,
    "goal": Exit.DONE,
    "interrupted": Exit.INTERRUPTED,
    "terminated": Exit.TERMINATED,
    "hung up": Exit.HUNG_UP,
}
"""How the command ends, by how the run does."""
Switch = Annotated[bool, Parameter(negative=())]


def train(
    *,
    model: str | None = None,
    origin: Annotated[str | None, Parameter(name="--from")] = None,
    change: Annotated[tuple[str, ...], Several] = (),
    out: Path | None = None,
    resume: Path | None = None,
    threads: int | None = None,
    device: str | None = None,
    tensorboard: Switch = False,
    data: DataOptions | None = None,
    vocabulary: VocabularyOptions | None = None,
    training: TrainingOptions | None = None,
    budget: BudgetOptions | None = None,
) -> int:
    """Train a translator with attention.

    Without arguments: Bahdanau's model on our own English-French grammar, some minutes, ending
    with sentences translated and their alignment drawn. Control-C ends a run after its step, with
    a checkpoint, and so do SIGTERM and a closed terminal; --resume goes on as if nothing had
    happened.

    Args:
        model: Which model, e.g. transformer-small; see docs/models.md.
        origin: Go on from a trained model with other data or settings: the folder of a run or of a
            checkpoint, or a name of the zoo. Its vocabulary stays.
        change: Fields of the model to be different, e.g. hidden_dim=512 dropout=0.3.
        out: Folder of the run; runs/<model> if not given.
        resume: Go on with the run in this folder; only its budget may be another one, which a
            schedule that ends with it follows.
        threads: Of torch; one per core if not given.
        device: Where to compute, e.g. cuda; the GPU if there is one.
        tensorboard: Write events for TensorBoard too.
        data: Where pairs come from.
        vocabulary: What tokens are.
        training: How to train.
        budget: When to end.
    """
    from ..devices import use_threads

    told = Told(
        data or DataOptions(),
        vocabulary or VocabularyOptions(),
        training or TrainingOptions(),
        budget or BudgetOptions(),
    )
    use_threads(threads)
    with cleaned_up():
        if resume is not None:
            given = {"--model": model, "--from": origin, "--change": change, "--out": out}
            _require_unsaid([*told.fixed, *(word for word, value in given.items() if value)])
            return _resumed(resume, told, _observer(resume, tensorboard), device)
        begun = _begun(model, origin, words(told.vocabulary))
        folder = out or _free(Path("runs") / (Path(origin).name if origin else str(begun)))
        return _started(begun, folder, told, change, _observer(folder, tensorboard), device)


class Told(NamedTuple):
    """What was said on the command line."""

    data: DataOptions
    vocabulary: VocabularyOptions
    training: TrainingOptions
    budget: BudgetOptions

    @property
    def fixed(self) -> list[str]:
        """All but the budget: what a run that goes on has already."""
        return [*words(self.data), *words(self.vocabulary), *words(self.training)]


def _require_unsaid(fixed: list[str]) -> None:
    if fixed:
        raise ChoiceError(
            f"--resume goes on with the settings of the run, but {', '.join(fixed)} came too; "
            "leave them out, or start a new run"
        )


def _resumed(folder: Path, told: Told, observer: "Observer", device: str | None) -> int:
    from ..training.launch import relaunch
    from .training.settings import budget_from

    budget = budget_from(told.budget) if told.budget.given() else None
    return EXITS[relaunch(folder, budget=budget, observer=observer, device=device)]


def _started(
    begun: "str | StoredModel",
    folder: Path,
    told: Told,
    change: tuple[str, ...],
    observer: "Observer",
    device: str | None,
) -> int:
    from ..training.launch import launch
    from .training.settings import recipe_from

    recipe = recipe_from(begun if isinstance(begun, str) else begun.config, *told)
    changes = {**recipe.changes, **_changes(change)}
    return EXITS[
        launch(recipe.settings, begun, folder, changes=changes, observer=observer, device=device)
    ]


def _begun(model: str | None, origin: str | None, fixed: list[str]) -> "str | StoredModel":
    """A preset's name, or the trained model to go on from."""
    if origin is None:
        return model or DEFAULT
    fixed = ["--model", *fixed] if model else fixed
    if fixed:
        raise ChoiceError(
            f"--from goes on with a model and its vocabulary, but {', '.join(fixed)} came too; "
            "leave them out, or train a new model"
        )

    from ..training.launch import load_origin
    from .translation.models import folder_of

    return load_origin(folder_of(origin, "--from"))


def _observer(folder: Path, tensorboard: bool) -> "Observer":
    from ..training.observer import Observers
    from .training.view import view

    observers: list[Observer] = [view(folder)]
    if tensorboard:
        from ..training.tensorboard import TensorBoard

        observers.append(TensorBoard(folder))
    return Observers(observers)


def _changes(words: tuple[str, ...]) -> dict[str, Any]:
    """``name=value`` as fields; a value is JSON, or else text."""
    import json

    found = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not (name and sign):
            raise ChoiceError(f"--change needs name=value, got {word!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _free(folder: Path) -> Path:
    """``folder``, or with the first number behind it that is not taken."""
    number, free = 1, folder
    while free.exists():
        number += 1
        free = folder.with_name(f"{folder.name}-{number}")
    return free
