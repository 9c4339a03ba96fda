"""How long an answer may become, and what it may not contain."""

import math
from typing import Annotated

from pydantic import Field, model_validator

from regard.config import Config

Count = Annotated[int, Field(ge=0, le=1_000_000)]
Token = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Limits(Config):
    """How long an answer may become, and what it may not contain.

    A source of S tokens is answered with ``min_length`` tokens at least, and at most with
    ``min(max_length, ratio · S + offset)``, or ``min_length`` where this is more. At most, the end
    of the sentence counts as one of them: an answer of this many tokens was cut.
    """

    min_length: Count = 0
    """Tokens that are written before the sentence may end."""
    max_length: Annotated[int, Field(ge=1, le=1_000_000)] = 256
    """Tokens at which it is cut, however long the source is."""
    ratio: Annotated[float, Field(ge=0, le=1000)] = 2.0
    """Tokens for each token of the source, its end included, at which it is cut."""
    offset: Count = 10
    """Tokens beside them."""
    context: Annotated[int, Field(ge=1)] | None = None
    """Tokens that a model can look at, source and answer together, where it is one text."""
    forced_end: bool = False
    """Whether an answer ends at the limit as if the model had ended it; otherwise it is cut."""
    forbidden: tuple[Token, ...] = ()
    """Tokens that are never written, beside padding and the beginning of a sentence."""

    @model_validator(mode="after")
    def _some_length_is_left(self) -> "Limits":
        if self.min_length > self.max_length:
            raise ValueError(
                f"min_length needs to be at most max_length, {self.max_length}, got "
                f"{self.min_length}"
            )
        return self

    def longest(self, source_length: int) -> int:
        """Tokens at which the answer to a source of so many tokens is cut."""
        by_source = math.floor(self.ratio * source_length) + self.offset
        if self.context is not None:
            by_source = min(by_source, self.context - source_length + 1)
        return max(1, self.min_length, min(self.max_length, by_source))
