"""Translations drawn in the terminal."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ...lens.alignments import terminal, translation_view
from ...lens.alignments.words import isolated, shown
from ...translation import Translation

LONGEST = 1000
"""Letters of a sentence that are shown above its alignment."""


def drawn(translation: Translation) -> RenderableType:
    """A sentence, its translation, and the alignment between them if there is one."""
    title = heading(translation.source, translation.text)
    view = translation_view(translation)
    return title if view is None else Group(title, Padding(terminal(view), (0, 0, 0, 2)))


def heading(source: str, target: str | None = None) -> Text:
    """Sentences in one line; nothing in them moves the cursor or turns its neighbour."""
    parts = [source] if target is None else [source, target]
    styled = [Text(isolated(_cut(shown(part))), "bold") for part in parts]
    return Text.assemble("\n", Text(" → ").join(styled))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
