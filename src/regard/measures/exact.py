"""Exact match of translations and references."""

from collections.abc import Sequence

from regard.data.composition import composed

from .references import References, match_references


def exact(hypotheses: Sequence[str], references: References) -> float:
    """The share of hypotheses, from 0 to 1, that equal one of their references.

    Text counts in composed form (NFC); how much space is between words does not.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
    """
    wanted = [
        {_plain(text) for text in texts} for texts in match_references(hypotheses, references)
    ]
    hits = [_plain(text) in texts for text, texts in zip(hypotheses, wanted, strict=True)]
    return sum(hits) / len(hits)


def _plain(text: str) -> str:
    return " ".join(composed(text).split())
