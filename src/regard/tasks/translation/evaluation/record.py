"""An evaluation as JSON."""

import math
from typing import Any

from regard.measures import AlignmentScore, Bucket, Comparison, Score

from ..task import TASK
from .evaluate import Evaluation, PairedComparison


def record(evaluation: Evaluation) -> dict[str, Any]:
    """All numbers of a system, ready for ``json.dump``; translations are left out."""
    perplexity, speed = evaluation.perplexity, evaluation.speed
    return {
        "model": evaluation.name,
        "task": "translation",
        "scores": scores(evaluation),
        "sentences": len(evaluation.texts),
        "bleu": _score(evaluation.bleu),
        "chrf": _score(evaluation.chrf),
        "exact": evaluation.exact,
        "perplexity": None
        if perplexity is None
        else {unit: number(value) for unit, value in perplexity._asdict().items()},
        "speed": None
        if speed is None
        else {**speed._asdict(), "tokens_per_second": speed.per_second},
        "by_length": [_bucket(bucket) for bucket in evaluation.lengths],
        "alignment": [
            {"shift": shift, **alignment_record(score)}
            for shift, score in evaluation.alignment.items()
        ],
        "heads": [
            {**head._asdict(), **alignment_record(score), "best": head == evaluation.best_head}
            for head, score in evaluation.heads.items()
        ],
    }


def scores(evaluation: Evaluation) -> dict[str, float | None]:
    """The numbers that every task has in this form: by measure, shares in percent."""
    perplexity = evaluation.perplexity
    found = {
        "bleu": evaluation.bleu.value,
        "chrf": evaluation.chrf.value,
        "exact": evaluation.exact,
        "perplexity": None if perplexity is None else number(perplexity.per_token),
        "aer": evaluation.aer,
        **evaluation.more,
    }
    return {
        name: 100 * value if value is not None and TASK.measure(name).percent else value
        for name, value in found.items()
    }


def versus_record(versus: PairedComparison) -> dict[str, Any]:
    """A system beside the first one."""
    return {
        "first": versus.first,
        "second": versus.second,
        "bleu": _comparison(versus.bleu),
        "chrf": _comparison(versus.chrf),
    }


def alignment_record(score: AlignmentScore) -> dict[str, Any]:
    """Error rate, precision and recall, and what they were counted from."""
    return {
        "aer": score.aer,
        "precision": score.precision,
        "recall": score.recall,
        "links": score.predicted,
        "sure": score.sure,
    }


def number(value: float) -> float | None:
    """A value that JSON can hold; ``None`` for what is beyond all numbers."""
    return value if math.isfinite(value) else None


def _score(score: Score) -> dict[str, Any]:
    interval = None if score.interval is None else score.interval._asdict()
    return {"value": score.value, "signature": score.signature, "interval": interval}


def _bucket(bucket: Bucket) -> dict[str, Any]:
    return {
        "shortest": bucket.shortest,
        "longest": bucket.longest,
        "sentences": bucket.sentences,
        "bleu": None if bucket.bleu is None else bucket.bleu.value,
        "exact": bucket.exact,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "difference": comparison.difference,
        "interval": comparison.interval._asdict(),
        "p_value": comparison.p_value,
    }
