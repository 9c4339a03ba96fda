"""Everything that makes a run, as one frozen value: what ``config.json`` holds."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny, model_validator

from regard.config import Config
from regard.data.batches import BatchConfig
from regard.storage.ancestor import Ancestor
from regard.storage.stored_model import AnyModelConfig, upgraded
from regard.task_registry import task_class

from .optimisation import OptimisationConfig
from .task import Task


def _task(value: Any) -> Any:
    if isinstance(value, Mapping) and isinstance(value.get("kind"), str):
        return task_class(value["kind"]).model_validate(value)
    return value


AnyTask = Annotated[SerializeAsAny[Task], BeforeValidator(_task)]
"""Any task; ``kind`` says which."""

Spread = Literal["replicated", "sharded"]
"""What each of several processes has: the whole model, or a share of it."""


A_MINUTE = 100
"""Updates that a minute is taken for: few, so that what depends on it does not come too late."""


class Budget(Config):
    """When a run is over, whichever comes first; a run that is resumed may get another one."""

    steps: int | None = Field(default=None, ge=1)
    """Updates."""
    minutes: float | None = Field(default=None, gt=0)
    """Minutes of training, those before it was resumed included."""
    patience: int | None = Field(default=None, ge=1)
    """Validations in a row without a new best."""
    goal: float | None = None
    """Value of ``measure`` that is good enough."""

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
    """What each of several processes has: the whole model, or a share where that does not fit."""
    seed: int = Field(default=0, ge=0)
    """Of the first weights and of all that is dropped or drawn."""

    _upgraded = model_validator(mode="before")(upgraded)

    @model_validator(mode="after")
    def _known_measure(self) -> "Settings":
        if not self.measure:
            object.__setattr__(self, "measure", self.task.measures[0].name)
        self.task.measure(self.measure)
        return self


class RunConfig(Settings):
    """All that decides how a run goes."""

    model: AnyModelConfig
    """What is trained."""
    ancestor: Ancestor | None = None
    """The trained model that it began with; ``None`` for a new one."""
