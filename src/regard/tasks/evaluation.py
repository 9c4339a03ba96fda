"""What ``regard evaluate`` asks of every task: settings of a test, and a report on some models.

The settings are a frozen config whose fields are the flags, so that the help of a task's test is
said once, where it is read. Nothing here imports torch.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from pydantic import BeforeValidator, Field

from regard.config import Config
from regard.errors import ChoiceError

if TYPE_CHECKING:
    from regard.measures import Resampling


def _numbered(column: Any) -> Any:
    return int(column) if isinstance(column, str) and column.isdecimal() else column


Columns = tuple[Annotated[str | int, BeforeValidator(_numbered)], ...]
"""Columns of a table: names, or numbers from 1, typed ones too."""


@runtime_checkable
class Report(Protocol):
    """What was found: tables that rich can print, and JSON."""

    def to_json(self) -> dict[str, Any]:
        """Of one model all about it, of several a list of them as ``models``."""

    def __rich__(self) -> Any:
        """Tables, the most important first."""


class Models(NamedTuple):
    """The models that were named, none of them read before it is asked for."""

    names: tuple[str, ...]
    find: Callable[[str], Path] = Path
    """The folder of a name."""
    kind: str = ""
    """The task that all of them were trained for; any if empty."""
    device: str = "cpu"
    tell: Callable[[str], object] = lambda line: None
    """Is told what is being done."""

    def settings(self, name: str) -> dict[str, Any]:
        """What is stored of a model's task; its weights are not read.

        Raises:
            DamagedError: a file is missing, cut short or changed; the message names it.
        """
        from regard.storage import checkpoint
        from regard.storage.run_folder import read_best
        from regard.storage.stored_model import ModelSettings

        read = partial(checkpoint.load_config, config=ModelSettings)
        return read_best(self.find(name), read).task.model_dump()

    def predictor(self, name: str) -> Any:
        """A model ready to be used.

        Raises:
            DamagedError: a file is missing, cut short or changed; the message names it.
            ChoiceError: it was trained for another task.
        """
        from regard.storage.run_folder import read_best
        from regard.storage.stored_model import read_model

        stored = read_best(self.find(name), read_model)
        kind = stored.task["kind"]
        if self.kind and kind != self.kind:
            raise ChoiceError(f"evaluate needs models of {self.kind}, and {name} is of {kind}")
        return stored.predictor(self.device)


class EvaluationConfig(Config):
    """What models of a task are tested on, and how."""

    group: ClassVar[str] = "Test"
    """What the fields of a class stand under in help pages."""
    figure_of: ClassVar[str] = ""
    """What a report draws by ``figure()``; empty if nothing."""

    data: tuple[str, ...] = ()
    """Files to test on, as for training; our own grammar or scenes if there are none."""
    samples: int = Field(default=1000, ge=0)
    """How often the test is drawn again for intervals and comparisons; 0 does without."""

    @property
    def resampling(self) -> "Resampling | None":
        """How to find intervals; ``None`` does without."""
        from regard.measures import Resampling

        return Resampling(samples=self.samples) if self.samples else None

    def report(self, models: Models) -> Report:
        """Everything about the models that were named.

        Raises:
            ChoiceError: no model.
            InputError: bad data, named by file and line.
        """
        if not models.names:
            raise ChoiceError("evaluate needs a model to measure: the folder of a run, or a name")
        return self.measured({name: models.predictor(name) for name in models.names})

    @abstractmethod
    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, at least one, beside each other.

        Raises:
            InputError: bad data, named by file and line.
        """


class PlainTextEvaluation(EvaluationConfig):
    """Of models that read plain text."""

    data: tuple[str, ...] = ()
    """Files of plain text, a paragraph a line; our own grammar if there are none."""
    sentences: int = 1000
    """Of our own grammar, how many."""

    def texts(self) -> list[str]:
        """What is read.

        Raises:
            InputError: bad data, named by file.
        """
        from regard.data.running import GrammarText, TextFiles

        if not self.data:
            return GrammarText(valid_size=self.sentences).held_out()
        files = TextFiles(train=self.data)
        return [text for path in self.data for text in files.read(path)]
