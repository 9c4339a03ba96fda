"""Hypotheses and what they are compared with."""

from collections.abc import Sequence

from regard.errors import InputError, ShapeError

References = Sequence[str | Sequence[str]]
"""For every sentence its references, one or several; a string stands for a single one."""


def match_references(hypotheses: Sequence[str], references: References) -> list[tuple[str, ...]]:
    """The references of every hypothesis.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
    """
    if len(hypotheses) != len(references):
        raise ShapeError(
            f"every hypothesis needs its references, got {len(hypotheses)} hypotheses and "
            f"references of {len(references)} sentences"
        )
    if not hypotheses:
        raise InputError("a score needs at least one sentence, got none")
    found = [(texts,) if isinstance(texts, str) else tuple(texts) for texts in references]
    for number, texts in enumerate(found, start=1):
        if not texts:
            raise InputError(f"sentence {number} needs at least one reference, got none")
    return found


def reference_streams(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """First, second, … references of all sentences; ``None`` where a sentence has fewer."""
    most = max(map(len, references))
    return [
        [texts[place] if place < len(texts) else None for texts in references]
        for place in range(most)
    ]
