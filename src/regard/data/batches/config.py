"""How examples are put together."""

from typing import Literal

from pydantic import Field

from regard.config import Config


class BatchConfig(Config):
    """How examples are put together."""

    max_tokens: int = Field(default=4096, ge=1)
    """Padded tokens of a batch, of every process: rows times the longest of them; examples that are
    longer are left out, and counted."""
    max_rows: int | None = Field(default=None, ge=1)
    """Rows of a rank's batch at most."""
    order: Literal["shuffled", "by_length"] = "shuffled"
    """Another order every epoch, or from short to long in each pool."""
    seed: int = Field(default=0, ge=0)
    """Of the order."""
