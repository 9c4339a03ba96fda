"""``regard train``: a model of any task, from data or from another model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..errors import ChoiceError
from ..json_text import parsed
from ..task_registry import TASKS, USUAL, task_class
from ..training.changes import Names, assignments, flat
from .app import Exit, cleaned_up
from .flags import Several, Switch, options

if TYPE_CHECKING:
    from ..models.config import ModelConfig
    from ..storage.stored_model import StoredModel
    from ..training.run import Ending, Observer

import tomllib

from ..errors import InputError
from ..task_registry import upgraded

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
BUDGET = ("steps", "minutes", "patience", "goal")
"""What may be said of a run that goes on."""


def command(words: Sequence[str]) -> Callable[..., int]:
    """``regard train`` with the flags of the task that ``words`` begin with.

    Raises:
        ChoiceError: there is no such task.
    """
    kind = words[0] if words and not words[0].startswith("-") else USUAL
    TASKS[kind]
    names = Names(task_class(kind), typed=True)
    flags_of_task = options(task_class(kind))

    def train(
        task: str = USUAL,
        /,
        *,
        model: str | None = None,
        init_from: str | None = None,
        out: Path | None = None,
        resume: Path | None = None,
        config: Path | None = None,
        changes: Annotated[tuple[str, ...], Several, Parameter(name="--set")] = (),
        dry_run: Switch = False,
        quiet: Switch = False,
        threads: int | None = None,
        device: str | None = None,
        tensorboard: Switch = False,
        flags: flags_of_task | None = None,  # type: ignore[valid-type]
    ) -> int:
        """Train a model with attention.

        Without arguments: Bahdanau's translator on our own English-French grammar, some minutes,
        ending with sentences translated and their alignment drawn. What is not given is the
        recipe's for this model and this data; --dry-run shows it. Control-C ends a run after its
        step, with a checkpoint, and so do SIGTERM and a closed terminal; --resume goes on as if
        nothing had happened.

        Args:
            task: What is learned; regard list tasks shows all.
            model: Which model, e.g. transformer-small; regard list models shows all.
            init_from: Go on from a trained model with other data or settings: the folder of a run
                or of a checkpoint, or a name of the zoo. Its vocabulary stays. Tagging and
                text-classification go on from one of fill-mask too, with a new head.
            out: Folder of the run; runs/<model> if not given.
            resume: Go on with the run in this folder; only its budget may be another one, which a
                schedule that ends with it follows.
            config: Settings in a file, .json, .toml or .yaml, e.g. the config.json of a run; flags
                and --set override them.
            changes: Any setting, or field of the model, by its path: optimisation.epsilon=1e-8
                model.hidden_dim=512.
            dry_run: Show what would be done, and end.
            quiet: Show nothing while it goes.
            threads: Of torch; one per core if not given.
            device: Where to compute, e.g. cuda; the GPU if there is one.
            tensorboard: Write events for TensorBoard too.
            flags: How to train.
        """
        given: dict[str, Any] = {} if flags is None else flags.given()
        start = Start(
            names=names,
            kind=task,
            model=model,
            init_from=init_from,
            out=out,
            config=config,
            changes=dict(assignments(changes, "--set")),
            given=given,
        )
        from ..devices import use_threads

        use_threads(threads)
        with cleaned_up():
            if resume is not None:
                start.require_resumable(dry_run)
                told = observer(resume, quiet=quiet, tensorboard=tensorboard)
                return start.resumed(resume, told, device)
            return start.launched(device, dry_run=dry_run, quiet=quiet, tensorboard=tensorboard)

    if kind != USUAL:
        made = task_class(kind).example.format(model="run/")
        vars(train)["examples"] = (f"regard train {kind} --out run/", made)
    return train


@dataclass(frozen=True, kw_only=True)
class Start:
    """What was said on the command line, and what is done with it."""

    names: Names
    kind: str
    model: str | None
    init_from: str | None
    out: Path | None
    config: Path | None
    changes: Mapping[str, Any]
    """By ``--set``."""
    given: Mapping[str, Any]
    """By flags of settings."""

    def require_resumable(self, dry_run: bool) -> None:
        """A run that goes on has all settings but its budget."""
        others = {
            "--model": self.model,
            "--init-from": self.init_from,
            "--out": self.out,
            "--config": self.config,
            "--set": self.changes,
            "--dry-run": dry_run,
        }
        fixed = [self.names.flags[name].option for name in self.given if name not in BUDGET]
        fixed += [word for word, value in others.items() if value]
        if fixed:
            raise ChoiceError(
                f"--resume goes on with the settings of the run, but {', '.join(fixed)} came too; "
                "leave them out, or start a new run"
            )

    def resumed(self, folder: Path, told: "Observer", device: str | None) -> int:
        """Go on with a run."""
        from ..training.launch import relaunch
        from ..training.settings import Budget

        budget = None
        if self.given:
            budget = self.names.checked(lambda: Budget.model_validate(self.given), "budget")
        return EXITS[relaunch(folder, budget=budget, observer=told, device=device)]

    def launched(self, device: str | None, *, dry_run: bool, quiet: bool, tensorboard: bool) -> int:
        """Begin a run, or tell how it would begin."""
        from ..storage.stored_model import StoredModel
        from ..training.launch import free_folder, launch, plan
        from ..training.settings import recipe_for

        said = self._said()
        begun = self._begun(said)
        known = begun.config if isinstance(begun, StoredModel) else begun
        recipe = recipe_for(known, said, self.names, self.kind)
        if dry_run:
            for line in plan(recipe.settings, begun, changes=recipe.changes, device=device):
                print(line)
            return Exit.DONE
        name = Path(self.init_from).name if self.init_from else self._name(begun)
        folder = free_folder(name, self.out)
        told = observer(folder, quiet=quiet, tensorboard=tensorboard)
        return EXITS[
            launch(
                recipe.settings, begun, folder, changes=recipe.changes, observer=told, device=device
            )
        ]

    def _said(self) -> dict[str, Any]:
        """What differs from the recipe: the file, flags over it, --set over both."""
        below = self._from_file() if self.config is not None else {}
        model = {"model": below.pop("model")} if "model" in below else {}
        found = self.names.said(below)
        return model | self.names.said({**self.given, **self.changes}, found)

    def _from_file(self) -> dict[str, Any]:
        assert self.config is not None
        found = flat(read_settings(self.config))
        if found.get("task.kind", self.kind) != self.kind:
            raise ChoiceError(
                f"{self.config} is about {found['task.kind']}: regard train {found['task.kind']}?"
            )
        if self.model is not None or self.init_from is not None:
            return {path: found[path] for path in found if path.partition(".")[0] != "model"}
        return found

    def _begun(self, said: dict[str, Any]) -> "str | ModelConfig | StoredModel":
        """A preset's name, a model's config, or the trained model to go on from."""
        named = said.pop("model", None)
        if self.init_from is not None:
            self._require_unsaid()
            return _origin(self.init_from)
        if self.model is None and "model.kind" in said:
            from ..models import config_from

            own = [path for path in said if path.startswith("model.")]
            return config_from({path.removeprefix("model."): said.pop(path) for path in own})
        return self.model or named or task_class(self.kind).default_model

    def _require_unsaid(self) -> None:
        """A model that is trained already has its codec."""
        flags = [self.names.flags[name] for name in self.given]
        fixed = ["--model"] if self.model else []
        fixed += [flag.option for flag in flags if flag.of_codec]
        if fixed:
            raise ChoiceError(
                f"--init-from goes on with a model and its vocabulary, but {', '.join(fixed)} came "
                "too; leave them out, or train a new model"
            )

    def _name(self, begun: "str | ModelConfig | StoredModel") -> str:
        return begun if isinstance(begun, str) else str(getattr(begun, "kind", self.kind))


def observer(folder: Path, *, quiet: bool, tensorboard: bool) -> "Observer":
    """Who is told how it goes."""
    from ..training.run import Observers
    from ..training.view import view
    from ..training.vitals import Vitals

    shown = None if quiet else view(folder)
    observers: list[Observer] = [Vitals(folder, tell=shown.tell if shown else None)]
    if shown is not None:
        observers.append(shown)
    if tensorboard:
        from ..training.tensorboard import TensorBoard

        observers.append(TensorBoard(folder))
    return Observers(observers)


def _origin(name: str) -> "StoredModel":
    from ..training.launch import load_origin
    from .models import folder_of

    return load_origin(folder_of(name, "--init-from"))


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a file, e.g. the ``config.json`` of a run, whichever version wrote it.

    Raises:
        InputError: it cannot be read, or is no such file.
    """
    if path.suffix.lower() not in READERS:
        raise InputError(f"--config needs a name that ends in .json, .toml or .yaml, got '{path}'")
    try:
        found = READERS[path.suffix.lower()](path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read, {error.strerror or error}") from None
    except RecursionError:  # of TOML and YAML
        raise InputError(f"{path}: it is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(found, Mapping):
        raise InputError(f"{path}: settings need to be names with values, got {found!r:.40}")
    settings = dict(upgraded(found))
    settings.pop("ancestor", None)  # what a run began with; --init-from names it again
    return settings


def _yaml(text: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise InputError(
            "reading .yaml needs PyYAML, which is not installed: pip install pyyaml, or write the "
            "settings as .toml or .json"
        ) from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"--config is no YAML: {error}") from None


READERS: dict[str, Callable[[str], Any]] = {
    ".json": parsed,
    ".toml": tomllib.loads,
    ".yaml": _yaml,
    ".yml": _yaml,
}
"""By the end of a file's name."""
