"""Training asks, tasks answer: all that the loop, checkpoints and logs know of the world.

::

    Task.learn()            → Codec       from text, labels, pictures to numbers and back
    Task.pools(codec)       → Pools       examples as numbers, cut into batches by training
    Task.objective(model)   → Objective   a batch to a Loss: see objective.py
    Task.validator(codec)   → Validator   a model to scores and samples
    task's predictor.py     → Predictor   a model and its codec, ready to be used
    task's recipe.py        → Recipe      settings to start from

A task is read for ``regard train --help``: nothing here imports torch.
"""

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    runtime_checkable,
)

from regard.config import Config

from .flags import Flag

if TYPE_CHECKING:
    from torch import nn

    from regard.data.batches import Pools

    from .objective import Objective

T = TypeVar("T", bound="Task")


class Measure(NamedTuple):
    """A number by which models are compared."""

    name: str
    title: str
    """What it is called in tables."""
    best: float
    """The value that cannot be bettered."""
    better: Literal["higher", "lower"] = "higher"
    decimals: int = 1
    percent: bool = False
    """Whether a share from 0 to 1 is shown as a percentage."""

    def gain(self, value: float | None) -> float:
        """The value turned so that more is better; what is no number is the worst."""
        if value is None or math.isnan(value):
            return -math.inf
        return value if self.better == "higher" else -value

    def shown(self, value: float) -> str:
        """The value as people read it."""
        return (
            f"{100 * value:.{self.decimals}f} %" if self.percent else f"{value:.{self.decimals}f}"
        )


@runtime_checkable
class Sample(Protocol):
    """One answer of a predictor; a renderable of rich, and JSON."""

    def to_json(self) -> dict[str, Any]:
        """Everything about it."""

    def __rich__(self) -> Any:
        """How it is shown in a terminal."""


class Validation(NamedTuple):
    """Scores by the names of the task's measures, and answers to look at."""

    scores: Mapping[str, float | None]
    samples: tuple[Sample, ...] = ()


@runtime_checkable
class Validator(Protocol):
    """Measures a model on examples held out."""

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on: only scores on the same are compared."""

    @property
    def size(self) -> int:
        """How many examples."""

    @property
    def left_out(self) -> int:
        """Examples that were too long."""

    def validate(self, model: "nn.Module") -> Validation:
        """All scores of a model, which is left as it was."""


@runtime_checkable
class Codec(Protocol):
    """Between a user's values (text, labels, pictures) and numbers."""

    def sizes(self) -> dict[str, int]:
        """What a model's config needs to know, e.g. ``{"source_vocab": 8000, …}``."""

    def files(self) -> dict[str, bytes]:
        """What a checkpoint keeps of it, by name; read again by the predictor."""


@runtime_checkable
class Predictor(Protocol):
    """A trained model with its codec, ready to be used."""

    @staticmethod
    def codec_from(files: Mapping[str, bytes], folder: Path) -> Any:
        """What :meth:`Codec.files` gave; ``folder`` is named in messages."""

    def predict(self, inputs: Iterable[Any], *, looks: bool = False) -> Iterator[Sample]:
        """An answer to every input, in their order; ``looks`` keeps where the model looked."""


class Comparison(NamedTuple):
    """Answers of a model as trained and as packed."""

    examples: int
    changed: int
    """How many of them are answered differently."""
    measure: str
    """What both were measured by."""
    before: float
    after: float


class Units(NamedTuple):
    """What a run counts in."""

    batch: str = "padded tokens"
    """What the budget of a batch is of: rows times the longest of them."""
    targets: str = "tokens"
    """What the loss is a mean over, and the speed is told in."""


class Fact(NamedTuple):
    """A line of a model card."""

    what: str
    which: str


class Task(Config):
    """What is learned, from what: a frozen config, told apart from others by ``kind``."""

    kind: str
    measures: ClassVar[tuple[Measure, ...]]
    """All that its validator scores; the first is what a run goes by unless it says otherwise."""
    own_flags: ClassVar[tuple[Flag, ...]] = ()
    """Its settings as words of ``regard train``, beside those of every task."""
    default_model: ClassVar[str] = ""
    """The preset that is trained if none is named."""
    adopts: ClassVar[tuple[str, ...]] = ()
    """Other tasks whose models a model of this one can begin with."""
    example: ClassVar[str] = ""
    """A command that uses a trained model, for its card; ``{model}`` stands for its name."""

    @classmethod
    def measure(cls, name: str) -> Measure:
        """The measure of this name.

        Raises:
            ValueError: there is none.
        """
        known = {measure.name: measure for measure in cls.measures}
        if name not in known:
            raise ValueError(f"measure needs to be one of {', '.join(known)}, got {name!r}")
        return known[name]

    @abstractmethod
    def learn(self) -> Any:
        """The :class:`Codec` of the data.

        Raises:
            InputError: bad data, named by file and line.
        """

    @abstractmethod
    def pools(self, codec: Any, *, longest: int | None) -> "Pools[Any]":
        """Examples to train on, as numbers.

        Args:
            codec: what encodes them.
            longest: steps of a sequence at most; longer examples are left out.
        """

    @abstractmethod
    def objective(self, model: Any) -> "Objective[Any]":
        """What the model is trained for."""

    @abstractmethod
    def validator(self, codec: Any, *, max_tokens: int, longest: int | None) -> Validator:
        """What measures a model.

        Args:
            codec: as in training.
            max_tokens: padded steps of a batch.
            longest: steps of a sequence at most; longer examples are left out.
        """

    def measured_by(self: T, name: str) -> T:
        """The same with a validator that scores this measure, where not all are usual."""
        return self

    def in_use(self) -> dict[str, Any]:
        """The settings that its predictor asks for, which a packed model keeps."""
        return {}

    def located(self: T) -> T:
        """The same wherever a process is: paths of files are absolute."""
        return self

    def going_on(self: T, settings: Mapping[str, Any], codec: Any) -> T:
        """The same with the codec of a model that is trained already.

        Args:
            settings: of the task that it was trained for, as stored; empty if not known.
            codec: its codec.
        """
        return self

    def adopted(self, origin: Any) -> Any:
        """A model of this task, untrained but for what it takes over from one of another task.

        Args:
            origin: a :class:`regard.storage.stored_model.StoredModel` of a task that it
                :attr:`adopts`.

        Returns:
            The same with a config and a codec of this task, and those of its weights that stay.
        """
        raise AssertionError(f"{self.kind} says that it adopts, and does not say how")

    def flags(self) -> list[str]:
        """The data as words of ``regard train``, to be typed again."""
        return []

    @property
    def units(self) -> Units:
        """What batches and speed are counted in."""
        return Units()

    @property
    def about_data(self) -> str:
        """What was read, in a line; empty if there is nothing to say."""
        return ""

    @property
    def about_samples(self) -> str:
        """What the samples of a validation are, in a few words."""
        return "examples it is validated on"

    def about_codec(self, codec: Any) -> str:
        """What was learned of the data before the first step, in a line."""
        return ", ".join(f"{what} {size:,}" for what, size in codec.sizes().items())

    def facts(self, codec: Any) -> list[Fact]:
        """What a model card says of data and codec."""
        return []

    def compared(self, before: Any, after: Any, count: int) -> Comparison | None:
        """Two predictors on the first ``count`` examples it is validated on; ``None`` if it cannot.

        Raises:
            InputError: they cannot be read any more.
        """
        return None

    def published(self: T) -> T:
        """The same without the places of files, which are nobody else's business."""
        return self
