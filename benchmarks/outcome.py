"""What a topic gives the command: something to print, to write and to judge by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import RenderableType

from .goals import Verdict


@dataclass(frozen=True)
class Outcome:
    """A run, ready to be shown.

    Args:
        topic: the name of the files.
        data: everything, as JSON.
        pages: what to print, the summary last.
        verdicts: all goals.
        text: the same as Markdown, where there is a page of it.
        pictures: what draws it, by the ending of the file; None where there is nothing to draw.
    """

    topic: str
    data: dict[str, Any]
    pages: tuple[RenderableType, ...]
    verdicts: tuple[Verdict, ...] = ()
    text: str | None = None
    pictures: Mapping[str, Callable[[], bytes | None]] = field(default_factory=dict)

    @property
    def missed(self) -> bool:
        """Whether a goal was missed."""
        return any(verdict.state == "missed" for verdict in self.verdicts)
