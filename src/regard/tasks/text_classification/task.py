"""Text classification as a task: everything that training asks about it."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from regard.training.flags import Flag

from ..data_task import DATA, vocabulary_flags
from ..labelling.task import LabelTask, label_flags
from ..labelling.vocabulary import VocabularyConfig
from .data import LabelledFiles, LabelledGrammar


class TextClassificationTask(LabelTask):
    """A text to one label, from labelled texts."""

    per_word: ClassVar[bool] = False
    own_flags: ClassVar[tuple[Flag, ...]] = label_flags(
        "our own grammar: statement or question?",
        Flag("columns", ("task.data.columns",), DATA, default="label text", needs="data"),
        *vocabulary_flags("level"),
    )
    default_model: ClassVar[str] = "gru-classifier"
    example: ClassVar[str] = 'regard classify --model {model} "A warm, funny, engaging film."'

    kind: Literal["text-classification"] = "text-classification"
    data: Annotated[LabelledGrammar | LabelledFiles, Field(discriminator="kind")] = (
        LabelledGrammar()
    )
    """Where texts come from."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which tokens there are."""
    min_label_count: int = Field(default=2, ge=1)
    """How often a label must come in the data to be learned; one that comes less is refused."""


TASK = TextClassificationTask
