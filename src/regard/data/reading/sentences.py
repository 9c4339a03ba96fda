"""A passage sentence by sentence."""

import re

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*\w)")


def sentences_of(text: str) -> tuple[str, ...]:
    """The lines of a text; of a single line, its sentences.

    >>> sentences_of("Anna went home. Ben followed her.")
    ('Anna went home.', 'Ben followed her.')

    A sentence ends with ``.``, ``!`` or ``?`` before a space: stories are told in short ones, and
    whoever has others writes a line for each.
    """
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if len(found) == 1:
        found = [part.strip() for part in _END.split(found[0]) if part.strip()]
    return tuple(found)
