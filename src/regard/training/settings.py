"""How a run goes, but for its model: frozen values that flags, files and Python set alike.

A :class:`Recipe` is where to start: settings for a model on some data.

The docstring of each field is the help text of its flag. Nothing here imports torch.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BeforeValidator, Field, SerializeAsAny, model_validator

from regard.config import Config
from regard.data.batches.stream import BatchConfig
from regard.task_registry import recipe_function, task_class, upgraded

from .changes import MODEL, Flat, Names, merged, nested
from .schedules import Constant, Cosine, Schedule
from .task import Task

if TYPE_CHECKING:
    from regard.models.config import ModelConfig


def _task(value: Any) -> Any:
    if isinstance(value, Mapping) and isinstance(value.get("kind"), str):
        return task_class(value["kind"]).model_validate(value)
    return value


AnyTask = Annotated[SerializeAsAny[Task], BeforeValidator(_task)]
"""Any task; ``kind`` says which."""

S = TypeVar("S", bound="Settings")

Spread = Literal["replicated", "sharded"]
"""What each of several processes has: the whole model, or a share of it."""


Factor = Annotated[float, Field(gt=0)]
Precision = Literal["float32", "bfloat16", "float16"]


class OptimisationConfig(Config):
    """Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019), or
    stochastic gradient descent with momentum, whose weight decay is part of the gradient."""

    method: Literal["adamw", "sgd"] = "adamw"
    """Which of them."""
    momentum: float = Field(default=0.9, ge=0, lt=1)
    """Of stochastic gradient descent: how much of a step is that of the one before, by Nesterov."""
    rate: float = Field(default=1e-3, gt=0)
    """Highest learning rate, which the schedule multiplies."""
    rate_factors: dict[str, Factor] = Field(default_factory=dict)
    """How many times faster some groups of parameters learn: ``embeddings`` (with output layers),
    since few batches are about a word, and what modules name in ``rate_groups()``."""
    schedule: Schedule = Constant()
    """Its factor, step by step."""
    betas: tuple[float, float] = (0.9, 0.98)
    """Decay of the means of gradient and squared gradient."""
    epsilon: float = Field(default=1e-9, gt=0)
    """Added to the root in the denominator."""
    weight_decay: float = Field(default=0.0, ge=0)
    """Of matrices; vectors such as biases and norms are left alone."""
    clip: float | None = Field(default=1.0, gt=0)
    """Longest gradient; a longer one is shortened to it."""
    accumulate: int = Field(default=1, ge=1)
    """Batches per update."""
    precision: Precision = "float32"
    """Of the matrix products, where the device has it; weights stay in float32, and on a CPU with
    units for bfloat16 all that is no product."""


A_MINUTE = 100
"""Updates that a minute is taken for: few, so that what depends on it does not come too late."""


class Budget(Config):
    """When a run is over, whichever comes first; a run that is resumed may get another one."""

    steps: int | None = Field(default=None, ge=1)
    """Updates that are made at most."""
    minutes: float | None = Field(default=None, gt=0)
    """Minutes of training, those before it was resumed included."""
    patience: int | None = Field(default=None, ge=1)
    """Validations in a row without a new best, after which it ends."""
    goal: float | None = None
    """Value of the measure that is good enough."""

    def changed(self, other: "Budget | None") -> "Budget":
        """This one, with what is said in another."""
        said = {} if other is None else other.model_dump(include=other.model_fields_set)
        return self.model_copy(update=said)

    @property
    def updates(self) -> int | None:
        """About how many updates there will be; ``None`` if that cannot be told."""
        guessed = None if self.minutes is None else max(1, round(A_MINUTE * self.minutes))
        known = [number for number in (self.steps, guessed) if number is not None]
        return min(known, default=None)


class Settings(Config):
    """All that decides how a run goes, but for the model."""

    task: AnyTask
    """What is learned, from what."""
    batch: BatchConfig = BatchConfig()
    optimisation: OptimisationConfig = OptimisationConfig()
    budget: Budget = Budget()
    average: float = Field(default=0.0, ge=0, lt=1)
    """Decay of the average of the weights that is validated and used; 0 uses the last weights."""
    validate_every: int = Field(default=500, ge=1)
    """Updates between validations."""
    save_every: int = Field(default=500, ge=1)
    """Updates between checkpoints."""
    log_every: int = Field(default=10, ge=1)
    """Updates between lines of the log."""
    measure: str = ""
    """What the best weights are chosen by; the first of the task's measures if not given."""
    spread: Spread = "replicated"
    """Under torchrun: the whole model in every process, or a share where that does not fit."""
    seed: int = Field(default=0, ge=0)
    """Of the first weights and of all that is dropped or drawn."""

    _upgraded = model_validator(mode="before")(upgraded)

    def changed(self: S, changes: Mapping[str, Any] | None = None, /, **more: Any) -> S:
        """The same with other values, by the names of ``regard train``'s flags or by dotted paths.

        >>> settings.changed(rate=1e-3, steps=600)
        >>> settings.changed({"optimisation.betas": (0.9, 0.999)})

        Raises:
            ChoiceError: an unknown name, or values that do not fit; all of them at once.
        """
        from .changes import Names, changed

        return changed(self, {**(changes or {}), **more}, Names(type(self.task)))

    @model_validator(mode="after")
    def _known_measure(self) -> "Settings":
        if not self.measure:
            object.__setattr__(self, "measure", self.task.measures[0].name)
        self.task.measure(self.measure)
        return self


def half_wave(
    task: Task,
    budget: Budget | None,
    *,
    steps: int,
    rate: float,
    batch: BatchConfig,
    validations: int,
    warmup: int = 200,
    betas: tuple[float, float] = (0.9, 0.98),
    weight_decay: float = 0.01,
    clip: float = 1.0,
    average: float = 0.99,
    measure: str = "",
) -> Settings:
    """Adam with decoupled weight decay and half a wave down, the average of the weights.

    The rate is at zero at the last step. A run of minutes ends where the clock says, and its
    schedule where it would have at most.

    Args:
        task: what is learned.
        budget: when it ends.
        steps: of a run that is not told how many.
        rate: the highest.
        batch: how much of it at once.
        validations: how often in a run; it is saved as often.
        warmup: steps up to the highest rate at most; a tenth of all if that is less.
        betas: of Adam.
        weight_decay: of matrices.
        clip: longest gradient.
        average: decay of the average.
        measure: what the best weights are chosen by; the task's first if not given.
    """
    chosen = Budget(steps=steps).changed(budget)
    planned = chosen.steps or steps
    often = max(1, planned // validations)
    return Settings(
        task=task,
        batch=batch,
        optimisation=OptimisationConfig(
            rate=rate,
            schedule=Cosine(steps=planned, warmup=min(warmup, planned // 10)),
            betas=betas,
            weight_decay=weight_decay,
            clip=clip,
        ),
        budget=chosen,
        average=average,
        measure=measure,
        validate_every=often,
        save_every=often,
    )


class Recipe(NamedTuple):
    """How to train a model on some data."""

    settings: Settings
    changes: Mapping[str, Any]
    """Fields of the model's config which are better different on this data."""

    def changed(self, changes: Mapping[str, Any] | None = None, /, **more: Any) -> "Recipe":
        """The same with some settings changed; paths that begin with ``model.`` change the model.

        >>> recipe("bahdanau-small", GrammarData()).changed({"model.hidden_dim": 64}, rate=1e-3)

        Raises:
            ChoiceError: an unknown name, or values that do not fit; all of them at once.
        """
        names = Names(type(self.settings.task))
        return self.merged(names.said({**(changes or {}), **more}), names)

    def merged(self, said: Flat, names: Names) -> "Recipe":
        """The same with changes by their paths."""
        own = {path: value for path, value in said.items() if path.startswith(f"{MODEL}.")}
        rest = {path: value for path, value in said.items() if path not in own}
        fields = {path.removeprefix(f"{MODEL}."): value for path, value in own.items()}
        return Recipe(merged(self.settings, rest, names), {**self.changes, **fields})


def recipe_for(model: "str | ModelConfig", said: Flat, names: Names, kind: str) -> Recipe:
    """The recipe of a task for a model, with all that was said.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        said: by :meth:`Names.said`: what of it is about data and budget decides the rest, too.
        names: of the task's settings.
        kind: of the task.

    Raises:
        ChoiceError: no such preset, or values that do not fit.
    """
    told = nested({path: value for path, value in said.items() if path.partition(".")[0] != MODEL})
    settings = {**told.get("task", {}), "kind": kind}
    task = names.checked(lambda: task_class(kind).model_validate(settings), "task")
    budget = names.checked(lambda: Budget.model_validate(told.get("budget", {})), "budget")
    return recipe_function(kind)(model, task, budget).merged(said, names)
