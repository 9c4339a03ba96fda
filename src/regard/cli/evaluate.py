"""``regard evaluate``: how good trained models are, of whatever task."""

import json
from collections.abc import Callable, Sequence
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from pydantic import ValidationError

from ..config import problems
from ..errors import ChoiceError, InputError, RegardError
from ..task_registry import USUAL, evaluation_class
from .computing import ComputeOptions
from .flags import options_of

if TYPE_CHECKING:
    from ..tasks.evaluation import EvaluationConfig, Models

SUFFIXES = (".png", ".svg")


def command(words: Sequence[str]) -> Callable[..., None]:
    """``regard evaluate`` with the flags of the task of the first model that ``words`` name."""
    kind = _kind(words)
    config = evaluation_class(kind)
    flags = options_of(config)

    def evaluate(
        *models: str,
        test: flags | None = None,  # type: ignore[valid-type]
        figure: Path | None = None,
        as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
        pace: ComputeOptions | None = None,
    ) -> None:
        device = (pace or ComputeOptions()).start()
        asked = _checked(config, {} if test is None else test.given())
        if figure is not None:
            _require_drawable(figure, asked)
        _evaluate(asked, _models(models, kind, device), figure, as_json=as_json)

    evaluate.__doc__ = f"{getdoc(config)}\n\n{ARGUMENTS}"
    return evaluate


ARGUMENTS = """Args:
    models: Folders of runs or checkpoints, or names of the zoo, all of one task: its words are
        those below.
    test: What is tested on.
    figure: Draw the report, where its task has a drawing; a file ending in .png or .svg.
    as_json: Print JSON instead of tables.
    pace: Where to compute.
"""


def _kind(words: Sequence[str]) -> str:
    """The task of the first model; the usual one where there is none, or what is no model."""
    if not words or words[0].startswith("-"):
        return USUAL
    try:
        return _kind_of(words[0])
    except RegardError:  # told by whoever opens it
        return USUAL


def _kind_of(name: str) -> str:
    from ..tasks.evaluation import Models

    return str(Models((name,), _folder).settings(name)["kind"])


def _folder(name: str) -> Path:
    from .models import folder_of

    return folder_of(name, "evaluate")


def _models(names: Sequence[str], kind: str, device: str) -> "Models":
    """The models, all of one task.

    Raises:
        ChoiceError: they are of several.
    """
    from ..tasks.evaluation import Models

    named = tuple(name.rstrip("/") or name for name in names)
    kinds = {name: _kind_of(name) for name in named}
    if len(set(kinds.values())) > 1:
        told = ", ".join(f"{name} is of {one}" for name, one in kinds.items())
        raise ChoiceError(f"evaluate needs models of one task, got {told}")
    return Models(named, _folder, kind, device)


def _checked(config: "type[EvaluationConfig]", said: dict[str, object]) -> "EvaluationConfig":
    try:
        return config(**said)  # type: ignore[arg-type]
    except ValidationError as error:
        raise ChoiceError(
            problems(error, named=lambda place: f"--{str(place[0]).replace('_', '-')}")
        ) from None


def _require_drawable(figure: Path, asked: "EvaluationConfig") -> None:
    """Before the measuring: a figure that cannot be drawn must not cost its minutes."""
    if figure.suffix.lower() not in SUFFIXES:
        raise InputError(f"--figure needs a name that ends in .png or .svg, got {str(figure)!r}")
    if not asked.figure_of:
        raise ChoiceError("--figure draws the reports of some tasks, and of this one there is none")
    from ..lens.plots import need_matplotlib

    need_matplotlib(f"the figure of {asked.figure_of}")


def _evaluate(
    asked: "EvaluationConfig", models: "Models", figure: Path | None, *, as_json: bool
) -> None:
    from rich.text import Text

    from .console import for_tables, plain

    with plain(stderr=True).status("starting") as status:
        report = asked.report(models._replace(tell=lambda line: status.update(Text(line))))
    if as_json:
        print(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
    else:
        for_tables().print(report)
    if figure is not None:  # last: a folder that is not there must not cost the numbers
        from ..lens.plots import save
        from .files import write

        drawn = report.figure()  # type: ignore[attr-defined]
        write(figure, lambda file: save(drawn, file, figure.suffix.lower()[1:]))
