"""BLEU of captions as papers on captioning print it: lower case, no marks, several references."""

import re
from collections.abc import Sequence

import numpy as np

from regard.data.pairs.lines import composed
from regard.extras import need

from .match_counts import MatchCounts, Resampling, interval
from .references import References, match_references, reference_streams
from .score import Score

_MARKS = re.compile(r"[^\w\s]|_")


def caption_words(text: str) -> str:
    """A caption in lower case, its marks left out, a space between words.

    >>> caption_words("A dog, two cats.")
    'a dog two cats'
    """
    return " ".join(_MARKS.sub(" ", composed(text).lower()).split())


def caption_bleu(
    captions: Sequence[str],
    references: References,
    *,
    order: int = 4,
    resampling: Resampling | None = None,
) -> Score:
    r"""BLEU of captions: nothing is smoothed, the nearest length of all references counts.

    .. math:: 100 \cdot \min(1, e^{1 - r/c}) \cdot \Big(\prod_{n=1}^{N} p_n\Big)^{1/N}

    Papineni et al. 2002 (https://aclanthology.org/P02-1040), in the form in which Vinyals et al.
    2015 (https://arxiv.org/abs/1411.4555) and Xu et al. 2015 (https://arxiv.org/abs/1502.03044)
    print it for captions: on words in lower case without marks.

    Args:
        captions: one per picture.
        references: of every picture.
        order: N; 4 for BLEU-4.
        resampling: how to find a confidence interval; ``None`` does without.

    Raises:
        ShapeError: more captions than references, or fewer.
        InputError: nothing to compare, or a picture without a reference.
    """
    found = count_caption_matches(captions, references, order=order)
    if resampling is None:
        return found.score()
    return found.score()._replace(interval=interval(found, resampling))


def count_caption_matches(
    captions: Sequence[str], references: References, *, order: int = 4
) -> MatchCounts:
    """The counts of every caption, whose sum makes the score; for intervals and comparisons."""
    bleu = need("sacrebleu.metrics", "BLEU").BLEU
    metric = bleu(tokenize="none", smooth_method="none", force=True, max_ngram_order=order)
    wanted = [tuple(map(caption_words, texts)) for texts in match_references(captions, references)]
    counts = metric._extract_corpus_statistics(
        [caption_words(text) for text in captions], reference_streams(wanted)
    )
    numbers = np.array(counts, dtype=np.int64)
    return MatchCounts(numbers, "BLEU", str(metric.get_signature()), metric)
