"""Reconstructed texts in the terminal: what went wrong is marked."""

from difflib import SequenceMatcher

from rich.console import Group, RenderableType
from rich.text import Text

from regard.lens.running_text import shaded
from regard.lens.words import printable

from .sample import ReconstructedText


def drawn(sample: ReconstructedText) -> RenderableType:
    """What came back; what differs is bold and underlined, what is missing stands in brackets."""
    told = Text("= " if sample.exact else "≠ ", "green" if sample.exact else "red")
    gone, came = printable(sample.text).split(" "), printable(sample.reconstruction).split(" ")
    for what, first, last, start, end in SequenceMatcher(None, gone, came, False).get_opcodes():
        if what in ("delete", "replace"):
            told.append(f"[{' '.join(gone[first:last])}] ", "red strike")
        if end > start:
            told.append(" ".join(came[start:end]), "" if what == "equal" else "bold underline")
            told.append(" ")
    told.rstrip()
    if sample.weights is None:
        return told
    return Group(told, shaded(sample.words, sample.weights.tolist()))
