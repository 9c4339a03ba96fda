"""Translations drawn in the terminal."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment

from regard.lens.alignments import terminal
from regard.lens.words import heading

from .sample import Translation
from .views import translation_view

INDENT = 2


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
