"""Why something did not run, in one short line."""

import math
import re
from dataclasses import dataclass

NOT_INSTALLED = "not installed"
"""The one reason that is nobody's fault."""

LONGEST = 120
"""Characters kept of a message."""


@dataclass(frozen=True)
class Absence:
    """Why there is no number."""

    reason: str


def judged(value: float | None, absent: str | None) -> float | None:
    """The number a goal on our own work is held to.

    NaN, by which no goal is met, if we were absent for any reason but a missing package: what
    breaks is no better than what is slow.
    """
    return value if absent in (None, NOT_INSTALLED) else math.nan


def reason(error: BaseException) -> str:
    """The first sentence of an error, with its kind."""
    text = " ".join(str(error).split())
    first = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    kind = type(error).__name__
    line = f"{kind}: {first}" if first else kind
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
