"""One mechanism on one task: all that decides how it is trained and measured, as one value."""

from typing import Annotated

from pydantic import Field

from regard.config import Config
from regard.training import RunConfig

from .tasks import Test


class Cell(Config):
    """What a process is to train and to measure; ``cell.json`` holds it."""

    mechanism: str
    """Its name."""
    preset: str
    """The model it begins with."""
    run: RunConfig
    """Model, data and how to train."""
    test: Test
    """What to measure on."""
    threads: Annotated[int, Field(ge=1)] = 2
    """Of torch."""
