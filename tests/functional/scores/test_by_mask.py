"""One of two scores, chosen by a mask."""

import pytest
import torch
from torch.testing import assert_close

from regard import attend, masks, scores, weigh
from regard.errors import DtypeError, ShapeError

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 5, 7, 4
QUERY_IDS = torch.tensor([[0, 1, 2, 0, 1], [1, 1, 0, 2, 2]])
KEY_IDS = torch.tensor([[0, 1, 2, 0, 1, 2, 0], [2, 2, 1, 1, 0, 0, 3]])
CHOICES = {
    "document": masks.document(QUERY_IDS, KEY_IDS),
    "window": masks.window(1, 1),
    "by head": masks.dense(torch.arange(105).view(3, 5, 7) % 4 != 1),
}
every_choice = pytest.mark.parametrize("mask", CHOICES.values(), ids=CHOICES)


def vectors():
    sizes = ((QUERIES, 2 * WIDTH), (KEYS, 2 * WIDTH), (KEYS, 6))
    return [torch.randn(BATCH, HEADS, *size, dtype=torch.float64) for size in sizes]


def allowed(mask):
    """All pairs of the mask, from sigmoid weights, which are 0 for the others."""
    query, key, _ = vectors()
    return weigh(query, key, mask=mask, normalise="sigmoid") > 0


@every_choice
def test_each_pair_has_the_score_of_its_kind(mask):
    query, key, _ = vectors()
    found = scores.ByMask(mask, scores.Cosine(), scores.Euclidean())(query, key)
    first = scores.Cosine()(query[..., :WIDTH], key[..., :WIDTH])
    second = scores.Euclidean()(query[..., WIDTH:], key[..., WIDTH:])
    assert_close(found, torch.where(allowed(mask), first, second))
    assert allowed(mask).any()
    assert not allowed(mask).all()


@every_choice
def test_some_heads_and_rows_are_those_of_the_whole_map(mask):
    query, key, _ = vectors()
    score = scores.ByMask(mask, scores.ScaledDot(), scores.Dot())
    whole = weigh(query, key, score=score)
    some = weigh(query, key, score=score, heads=[2, 0], rows=[4, 1])
    assert_close(some, whole[:, [2, 0]][:, :, [4, 1]])


@every_choice
def test_streamed_it_is_the_same(mask, small_blocks):
    query, key, value = vectors()
    score = scores.ByMask(mask, scores.ScaledDot(), scores.Dot())
    found = [attend(query, key, value, score=score, path=p) for p in ("stream", "reference")]
    assert_close(*found)


@every_choice
def test_shifted_it_is_a_part_of_the_map(mask):
    query, key, _ = vectors()
    score = scores.ByMask(mask, scores.ScaledDot(), scores.Dot())
    part = score.shifted(3)(query[..., 3:, :], key)
    assert_close(part, score(query, key)[..., 3:, :])


@pytest.mark.usefixtures("without_shape_checks")
def test_mistakes_are_answered_in_one_sentence():
    query, key, value = vectors()
    parts = scores.ScaledDot(), scores.Dot()
    with pytest.raises(DtypeError, match=r"by_mask needs a mask of regard\.masks, got Tensor"):
        scores.ByMask(torch.ones(5, 7, dtype=torch.bool), *parts)
    with pytest.raises(ShapeError, match="so an even width"):
        attend(query[..., 1:], key[..., 1:], value, score=scores.ByMask(masks.causal(), *parts))
    with pytest.raises(ShapeError, match="one id for each of 7 key positions"):
        score = scores.ByMask(masks.document(QUERY_IDS), *parts)
        attend(query, key, value, score=score)
    with pytest.raises(ShapeError, match="of one width"):
        score = scores.ByMask(masks.causal(), *parts)
        attend(query, key[..., :6], value, score=score)
