"""Whose data it is, where ``regard data get`` has written it down."""

import json
from pathlib import Path
from typing import NamedTuple

from .get import ORIGIN


class Origin(NamedTuple):
    """Whom to name, and under which terms."""

    origin: str
    licence: str

    def __str__(self) -> str:
        return f"{self.origin}; licence {self.licence}"


def origin_of(file: Path) -> Origin | None:
    """What lies beside a file that was fetched; ``None`` beside any other."""
    try:
        content = json.loads((file.parent / ORIGIN).read_text(encoding="utf-8"))
        return Origin(str(content["origin"]), str(content["licence"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
