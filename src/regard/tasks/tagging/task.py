"""Tagging as a task: everything that training asks about it."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from regard.training.flags import Flag

from ..data_task import DATA
from ..labelling.task import LabelTask, label_flags
from ..labelling.vocabulary import VocabularyConfig
from .data import TaggedFiles, TaggedGrammar


class TaggingTask(LabelTask):
    """Words to one tag each, from tagged sentences."""

    per_word: ClassVar[bool] = True
    own_flags: ClassVar[tuple[Flag, ...]] = label_flags(
        "our own grammar, English parts of speech",
        Flag("column", ("task.data.column",), DATA, needs="data"),
        Flag("also", ("task.data.also",), DATA, needs="data"),
    )
    default_model: ClassVar[str] = "bilstm-tagger"
    example: ClassVar[str] = 'regard tag --model {model} "The black cat ate the mouse."'

    kind: Literal["tagging"] = "tagging"
    data: Annotated[TaggedGrammar | TaggedFiles, Field(discriminator="kind")] = TaggedGrammar()
    """Where sentences come from."""
    vocabulary: VocabularyConfig = VocabularyConfig(spelled=True)
    """Which words and characters there are."""

    @field_validator("vocabulary", mode="before")
    @classmethod
    def _spelled(cls, value: Any) -> Any:
        """Words are spelled unless it is said otherwise."""
        return {"spelled": True, **value} if isinstance(value, Mapping) else value

    @field_validator("vocabulary")
    @classmethod
    def _words(cls, value: VocabularyConfig) -> VocabularyConfig:
        if value.level != "words":
            raise ValueError(f"tags belong to words, so level needs to be words, got {value.level}")
        return value


TASK = TaggingTask
