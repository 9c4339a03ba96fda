"""What every task answers alike whose examples come from a :class:`regard.data.sources.Source`."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import field_validator

from regard.data.sources import Source
from regard.training.flags import Flag
from regard.training.task import Fact, Task

T = TypeVar("T", bound="DataTask")

DATA, VOCABULARY = "Data", "Vocabulary"
"""What flags stand under in help pages."""


def data_flags(default: str, valid: str) -> tuple[Flag, Flag]:
    """``--data`` and ``--valid``.

    Args:
        default: what is learned from without the first.
        valid: what is validated on without the second.
    """
    files = {"task.data.kind": "files"}
    return (
        Flag("data", ("task.data.train",), DATA, default=default, also=files),
        Flag("valid", ("task.data.valid",), DATA, default=valid, needs="data"),
    )


def vocabulary_flags(*fields: str, within: str = "task.vocabulary") -> tuple[Flag, ...]:
    """Settings of a vocabulary by their own names; ``size`` is ``--vocabulary``."""
    names = {"size": "vocabulary"}
    return tuple(
        Flag(names.get(field, field), (f"{within}.{field}",), VOCABULARY, of_codec=True)
        for field in fields
    )


class DataTask(Task):
    """A task with a field ``data``: files of a user, or what is generated.

    Its codec is described by a field ``vocabulary``, if it has one: who goes on with a model that
    is trained already takes over that of the model.
    """

    codec_field: ClassVar[str] = "vocabulary"
    """The setting that says how the codec is found."""

    data: Any
    """Where examples come from, a :class:`regard.data.sources.Source`."""

    @field_validator("data", mode="before")
    @classmethod
    def _kind_of_data(cls, value: Any) -> Any:
        """Settings that name files are those of files, and otherwise of what is generated."""
        if not isinstance(value, Mapping) or "kind" in value:
            return value
        kinds = cls.model_fields["data"].default
        generated = kinds.kind if isinstance(kinds, Source) else "files"
        return {"kind": "files" if "train" in value else generated, **value}

    def located(self: T) -> T:
        """The same with absolute paths."""
        return self.model_copy(update={"data": self.data.located()})

    def published(self: T) -> T:
        """The same without the folders of files."""
        return self.model_copy(update={"data": self.data.published()})

    def going_on(self: T, settings: Mapping[str, Any], codec: Any) -> T:
        """The same with the vocabulary of a model that is trained already."""
        stored = settings.get(self.codec_field)
        if not stored:
            return self
        found = type(getattr(self, self.codec_field)).model_validate(stored)
        return self.model_copy(update={self.codec_field: found})

    def flags(self) -> list[str]:
        """The data as words of ``regard train``."""
        found: list[str] = self.data.flags()
        return found

    @property
    def about_data(self) -> str:
        """What is read, or generated."""
        return str(self.data.about)

    def facts(self, codec: Any) -> list[Fact]:
        """Codec, data and whose it is."""
        return [
            Fact("vocabulary", self.about_codec(codec)),
            Fact("trained on", self.data.name),
            Fact("origin of the data", self.data.origin),
        ]
