"""A translation as JSON."""

from typing import Any

from regard.measures import pharaoh
from regard.tasks.translation.sample import Translation

DECIMALS = 6
"""Of weights."""


def record(translations: tuple[Translation, ...]) -> dict[str, Any]:
    """One source with its translations, the best first."""
    best = translations[0]
    return {
        "source": best.source,
        "source_words": list(best.source_words),
        "source_tokens": list(best.source_tokens),
        "cut": best.cut,
        "translations": [_translation(one) for one in translations],
    }


def _translation(one: Translation) -> dict[str, Any]:
    weights, end = None, None
    if one.weights is not None and one.end is not None:
        weights = [_rounded(row) for row in one.weights.tolist()]
        end = _rounded(one.end.tolist())
    return {
        "text": one.text,
        "words": list(one.target_words),
        "tokens": list(one.target_tokens),
        "score": one.score,
        "log_prob": one.log_prob,
        "finished": one.finished,
        "alignment": None if one.weights is None else pharaoh(one.links),
        "weights": weights,
        "end": end,
    }


def _rounded(weights: list[float]) -> list[float]:
    return [round(weight, DECIMALS) for weight in weights]
