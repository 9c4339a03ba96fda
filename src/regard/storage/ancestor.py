"""The model that a run began with, so that what is made of it can say whose work it is."""

import re
from pathlib import Path

from regard.config import Config

from . import manifest, regular
from .checkpoint import MODEL, RESUME

CARD = "CARD.md"
"""What a packed model says about itself, for people."""
LONGEST = 2**16
"""Characters of a card that are kept."""
_LICENCE = re.compile(r"^\| licence of the weights \| (.+?) \|\s*$", re.MULTILINE)


class Ancestor(Config):
    """A trained model that another one goes on from."""

    name: str
    """Of its folder."""
    sha256: str
    """Of its weights, as they are stored."""
    licence: str | None = None
    """Of its weights, as its card has it."""
    card: str | None = None
    """All that its card says."""
    ancestor: "Ancestor | None" = None
    """What it began with itself."""


def ancestor_in(folder: Path, before: Ancestor | None) -> Ancestor:
    """What a checkpoint or a packed model is to those that go on from it.

    Args:
        folder: where it lies.
        before: what it began with itself.
    """
    listed = manifest.read(folder).files
    place = folder.absolute()
    name = f"{place.parent.name}/{place.name}" if RESUME in listed else place.name
    card = _card(folder / CARD)
    found = _LICENCE.search(card or "")
    licence = found[1] if found and found[1] != "not stated" else None
    return Ancestor(
        name=name, sha256=listed[MODEL].sha256, licence=licence, card=card, ancestor=before
    )


def _card(path: Path) -> str | None:
    try:
        with regular.opened(path) as file:
            return file.read(LONGEST).decode(errors="replace")
    except OSError:
        return None
