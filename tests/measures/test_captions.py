"""BLEU of captions, against counts by hand."""

import math
from collections import Counter

import pytest

from regard.measures import caption_bleu, caption_words
from regard.measures.match_counts import Resampling


def plain_bleu(captions, references, order=4):
    """Corpus BLEU in plain loops: clipped matches, the nearest length, nothing smoothed."""
    matches, totals = [0] * order, [0] * order
    ours = theirs = 0
    for caption, texts in zip(captions, references, strict=True):
        words, said = caption.split(), [text.split() for text in texts]
        ours += len(words)
        theirs += min((abs(len(one) - len(words)), len(one)) for one in said)[1]
        for n in range(1, order + 1):
            own = Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
            most = Counter()
            for one in said:
                most |= Counter(tuple(one[i : i + n]) for i in range(len(one) - n + 1))
            matches[n - 1] += sum((own & most).values())
            totals[n - 1] += sum(own.values())
    if not all(matches):
        return 0.0
    logs = sum(math.log(m / t) for m, t in zip(matches, totals, strict=True)) / order
    return 100 * math.exp(min(0, 1 - theirs / ours)) * math.exp(logs)


CAPTIONS = ["a dog runs on the green grass", "two men ride bikes down a hill today"]
REFERENCES = [
    ["a brown dog runs on the grass", "the dog runs on the green grass quickly"],
    ["two men ride bikes down the hill", "men ride their bikes down a hill", "a hill"],
]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_it_is_bleu_by_a_plain_loop(order):
    found = caption_bleu(CAPTIONS, REFERENCES, order=order).value
    assert found == pytest.approx(plain_bleu(CAPTIONS, REFERENCES, order))
    assert 10 < found < 100


def test_case_and_marks_do_not_count():
    loud = [text.upper() + "!" for text in CAPTIONS]
    assert caption_bleu(loud, REFERENCES).value == caption_bleu(CAPTIONS, REFERENCES).value
    assert caption_words("A dog's T-shirt, 2 cats.") == "a dog s t shirt 2 cats"


def test_nothing_is_smoothed():
    assert (
        caption_bleu(["no word of it fits here"], [["another text altogether stands"]]).value == 0
    )


def test_an_interval_holds_the_score():
    many = caption_bleu(CAPTIONS * 10, REFERENCES * 10, resampling=Resampling(samples=50))
    assert many.interval.low <= many.value <= many.interval.high
    assert "nrefs:var" in many.signature or "nrefs" in many.signature
