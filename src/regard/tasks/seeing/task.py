"""What tasks have in common that look at a picture and write: how pictures are read."""

from collections.abc import Mapping
from typing import Any, TypeVar

from ..data_task import DataTask
from .reading import PixelReading, Reading

T = TypeVar("T", bound="SeeingTask")


class SeeingTask(DataTask):
    """A picture, and perhaps a text, to a text."""

    reading: Reading = PixelReading()
    """How the model reads pictures."""

    def going_on(self: T, settings: Mapping[str, Any], codec: Any) -> T:
        """The same with the vocabulary and the reading of a model that is trained already."""
        found = super().going_on(settings, codec)
        stored = settings.get("reading")
        if not stored:
            return found
        reading = type(found).model_validate({"reading": stored}).reading
        return found.model_copy(update={"reading": reading})

    def published(self: T) -> T:
        """The same without the folders of files."""
        reading = self.reading
        if reading.kind == "maps":
            reading = reading.model_copy(update={"folder": ""})
        return super().published().model_copy(update={"reading": reading})
