"""Translations drawn in the terminal."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.text import Text

from regard.lens.alignments import terminal
from regard.lens.words import bidi_isolate, printable

from .sample import Translation
from .views import translation_view

INDENT = 2
LONGEST = 1000
"""Letters of a sentence that are shown above its alignment."""


def drawn(translation: Translation) -> RenderableType:
    """A sentence, its translation, and the alignment between them if there is one."""
    title = heading(translation.source, translation.text)
    view = translation_view(translation)
    return title if view is None else Group(title, Indented(terminal(view)))


@dataclass(frozen=True)
class Indented:
    """A drawing moved to the right, its lines as short as they are: nothing is filled up."""

    drawing: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        narrower = options.update(width=max(1, options.max_width - INDENT), height=None)
        for line in console.render_lines(self.drawing, narrower, pad=False):
            yield Segment(" " * INDENT)
            yield from line
            yield Segment.line()


def heading(source: str, target: str | None = None) -> Text:
    """Sentences in one line; nothing in them moves the cursor or turns its neighbour."""
    parts = [source] if target is None else [source, target]
    styled = [Text(bidi_isolate(_cut(printable(part))), "bold") for part in parts]
    return Text.assemble("\n", Text(" → ").join(styled))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
