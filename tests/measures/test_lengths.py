"""Scores by the length of the source."""

import pytest

from regard.errors import RangeError, ShapeError
from regard.measures import bleu, by_length

SOURCES = ["w " * length for length in (2, 3, 4, 7, 0)]
HYPOTHESES = ["a b c d", "a b c e", "e f g h i", "k l m n o", "z"]
REFERENCES = [["a b c d"], ["a b c d", "q"], ["e f g h j"], ["k l m n o", "k"], ["y"]]


def chosen(rows: list[int]) -> tuple[list[str], list[list[str]]]:
    return [HYPOTHESES[row] for row in rows], [REFERENCES[row] for row in rows]


def test_every_bucket_is_the_score_of_its_sentences():
    short, middle, long = by_length(HYPOTHESES, REFERENCES, SOURCES, edges=(3, 5))
    for bucket, rows in ((short, [0, 1, 4]), (middle, [2]), (long, [3])):
        hypotheses, references = chosen(rows)
        assert bucket.sentences == len(rows)
        assert bucket.bleu == bleu(hypotheses, references)
    assert (short.exact, middle.exact, long.exact) == (1 / 3, 0.0, 1.0)


def test_buckets_say_where_they_begin_and_end():
    buckets = by_length(HYPOTHESES, REFERENCES, SOURCES, edges=(3, 5))
    assert [(bucket.shortest, bucket.longest) for bucket in buckets] == [(0, 3), (4, 5), (6, None)]
    assert [bucket.label for bucket in buckets] == ["0–3", "4–5", "6+"]


def test_a_bucket_without_sentences_has_no_score():
    bucket = by_length(HYPOTHESES, REFERENCES, SOURCES, edges=(4, 6))[1]
    assert (bucket.sentences, bucket.bleu, bucket.exact) == (0, None, None)


def test_no_edge_is_one_bucket_of_all():
    (bucket,) = by_length(HYPOTHESES, REFERENCES, SOURCES, edges=())
    assert (bucket.label, bucket.sentences) == ("0+", 5)
    assert bucket.bleu == bleu(HYPOTHESES, REFERENCES)


@pytest.mark.parametrize("edges", [(5, 3), (3, 3), (0, 2)], ids=str)
def test_edges_that_do_not_grow_are_refused(edges):
    with pytest.raises(RangeError, match="edges must grow and start at 1 or more"):
        by_length(HYPOTHESES, REFERENCES, SOURCES, edges=edges)


def test_missing_sources_are_refused():
    with pytest.raises(ShapeError, match="got 5 hypotheses and 4 sources"):
        by_length(HYPOTHESES, REFERENCES, SOURCES[:4])
