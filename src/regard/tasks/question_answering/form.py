"""What two kinds of readers answer differently: by spans of a passage, or by words."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from regard.data.annotated import LabelCodec
from regard.data.batches import Corpus
from regard.data.reading import Question
from regard.training.objective import Objective

from ..labelling.vocabulary import VocabularyConfig
from .data import FormName
from .sample import Answered


@runtime_checkable
class Form(Protocol):
    """Learning and giving answers of one form."""

    @abstractmethod
    def learn(self, read: Sequence[Question], vocabulary: VocabularyConfig) -> LabelCodec:
        """The codec of some questions.

        Raises:
            InputError: an answer that cannot be learned, named by file and line.
        """

    @abstractmethod
    def encode(
        self, questions: Iterable[Question], codec: LabelCodec, *, longest: int | None
    ) -> Corpus[Any]:
        """Questions to learn from, as numbers; those with a longer passage are left out."""

    @abstractmethod
    def objective(self, model: Any, task: Any) -> Objective[Any]:
        """What a model is trained for."""

    @abstractmethod
    def fits(self, one: Question, longest: int | None) -> bool:
        """Whether a passage is short enough to be learned from."""

    @abstractmethod
    def answered(
        self,
        model: Any,
        codec: LabelCodec,
        questions: Sequence[Question],
        *,
        max_tokens: int | None = None,
    ) -> list[Answered]:
        """An answer to each question, in their order."""

    @abstractmethod
    def nll(self, sample: Answered, one: Question, codec: LabelCodec) -> float | None:
        """How surprising the right answer is, in nats; ``None`` where that cannot be told."""


def form(name: FormName) -> Form:
    """The form of this name; nothing of the other one is imported."""
    module = import_module(f"{__package__}.{name}.form")
    found: Form = module.WordsForm() if name == "words" else module.SpansForm()
    return found


def form_of(model: Any) -> FormName:
    """What a model answers with: words if it has a closed set of them, spans otherwise."""
    return "words" if hasattr(model.config, "labels") else "spans"
