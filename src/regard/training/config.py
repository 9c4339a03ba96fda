"""Everything that makes a run, as one frozen value: what ``config.json`` holds."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny

from regard.config import Config
from regard.data.batches import BatchConfig
from regard.models import config_from
from regard.models.config import Seq2SeqConfig
from regard.storage.ancestor import Ancestor
from regard.tasks.translation import FileData, GrammarData, VocabularyConfig
from regard.tasks.translation.objective import ObjectiveConfig
from regard.tasks.translation.validation import Measure

from .optimisation import OptimisationConfig


def _model_config(value: Any) -> Any:
    return config_from(value) if isinstance(value, Mapping) else value


ModelConfig = Annotated[SerializeAsAny[Seq2SeqConfig], BeforeValidator(_model_config)]
"""The config of any kind of model; ``kind`` says which."""


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

    data: Annotated[GrammarData | FileData, Field(discriminator="kind")]
    vocabulary: VocabularyConfig
    batch: BatchConfig = BatchConfig()
    objective: ObjectiveConfig = ObjectiveConfig()
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
    measure: Measure = "bleu"
    """What the best weights are chosen by."""
    spread: Spread = "replicated"
    """What each of several processes has: the whole model, or a share where that does not fit."""
    link_above: float | None = Field(default=None, ge=0, lt=1)
    """Weight above which words are linked when the alignment error rate is measured; ``None`` links
    each target word to the source word it looks at most."""
    seed: int = Field(default=0, ge=0)
    """Of the first weights and of all that is dropped or drawn."""


class RunConfig(Settings):
    """All that decides how a run goes."""

    model: ModelConfig
    """What is trained."""
    ancestor: Ancestor | None = None
    """The trained model that it began with; ``None`` for a new one."""
