"""Classified texts in the terminal: words shaded by how much they counted."""

from rich.console import Group, RenderableType
from rich.text import Text

from regard.lens.running_text import shaded
from regard.lens.words import printable

from .sample import ClassifiedText

MOST = 5
"""Labels that are told."""


def drawn(sample: ClassifiedText) -> RenderableType:
    """Probabilities, and the text below them."""
    told = [f"{label} {100 * p:.1f} %" for label, p in list(sample.probabilities.items())[:MOST]]
    title = Text.assemble("\n", (told[0] if told else "(blank)", "bold"))
    title.append("".join(f"   {one}" for one in told[1:]), "dim")
    if sample.weights is None:
        return Group(title, Text(printable(sample.text)))
    return Group(title, shaded(sample.words, sample.weights.tolist()))
