"""BLEU and chrF of a corpus, by sacrebleu."""

from collections.abc import Sequence

from .match_counts import MetricName, count_matches
from .references import References
from .resampling import Resampling, interval
from .score import Score


def bleu(
    hypotheses: Sequence[str], references: References, *, resampling: Resampling | None = None
) -> Score:
    r"""BLEU: matching word sequences, and a penalty for being short.

    .. math:: 100 \cdot \min(1, e^{1 - r/c}) \cdot \Big(\prod_{n=1}^{4} p_n\Big)^{1/4}

    Papineni et al. 2002 (https://aclanthology.org/P02-1040); as sacrebleu computes it, Post 2018
    (https://arxiv.org/abs/1804.08771).

    Args:
        hypotheses: running text, one per sentence.
        references: of every sentence; their number may differ.
        resampling: how to find a confidence interval; ``None`` does without.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
    """
    return _score("BLEU", hypotheses, references, resampling)


def chrf(
    hypotheses: Sequence[str], references: References, *, resampling: Resampling | None = None
) -> Score:
    r"""chrF: matching character sequences up to length 6, recall counting twice as much.

    .. math:: 100 \cdot \frac{(1 + 2^2) P R}{2^2 P + R}

    Popović 2015 (https://aclanthology.org/W15-3049), as sacrebleu computes it. Of several
    references the nearest counts.

    Args:
        hypotheses: running text, one per sentence.
        references: of every sentence; their number may differ.
        resampling: how to find a confidence interval; ``None`` does without.

    Raises:
        ShapeError: more hypotheses than references, or fewer.
        InputError: nothing to compare, or a sentence without a reference.
    """
    return _score("chrF2", hypotheses, references, resampling)


def _score(
    name: MetricName,
    hypotheses: Sequence[str],
    references: References,
    resampling: Resampling | None,
) -> Score:
    found = count_matches(name, hypotheses, references)
    if resampling is None:
        return found.score()
    return found.score()._replace(interval=interval(found, resampling))
