"""Masks and position terms of a part of the map are that part of the whole."""

import pytest
import torch
from torch.testing import assert_close

from reference import masks as reference
from reference import scores as ref_scores
from regard import attend, masks, scores
from regard.errors import ShapeError
from regard.functional.forms import Tile
from regard.functional.masks import EMPTY, FULL, Spans
from regard.functional.masks.shifted import needed

QUERIES, KEYS = 3, 5
FIRST_QUERY, FIRST_KEY = 4, 2
ALL = 11

_IDS = [0, 0, 1, 1, 1, 2, 2, 0, 1, 2, 2]
_LAYOUT = [[(r + 2 * c) % 3 != 0 for c in range(6)] for r in range(6)]
_DENSE = [[(i * j + i) % 3 != 1 for j in range(ALL)] for i in range(ALL)]

CASES = {
    "causal": (masks.causal(), reference.causal()),
    "causal(1)": (masks.causal(1), reference.causal(1)),
    "window": (masks.window(2, 1), reference.window(2, 1)),
    "strided": (masks.strided(3), reference.strided(3)),
    "blocks": (masks.blocks(3), reference.blocks(3)),
    "layout": (masks.blocks(2, torch.tensor(_LAYOUT)), reference.blocks(2, _LAYOUT)),
    "global": (masks.global_tokens([2, 5]), reference.global_tokens([2, 5])),
    "prefix": (masks.prefix(4), reference.prefix(4)),
    "padding": (masks.padding(torch.tensor(6)), reference.padding(6)),
    "padding beyond": (masks.padding(torch.tensor(9)), reference.padding(9)),
    "document": (masks.document(torch.tensor(_IDS)), reference.document(_IDS, _IDS)),
    "dense": (masks.dense(torch.tensor(_DENSE)), reference.dense(_DENSE)),
    "dense row": (
        masks.dense(torch.tensor(_DENSE[3:4])),
        reference.dense([_DENSE[3]] * ALL),
    ),
    "and": (
        masks.causal() & masks.window(3),
        reference.both(reference.causal(), reference.window(3, 3)),
    ),
    "or": (
        masks.blocks(2) | masks.global_tokens(3),
        reference.either(reference.blocks(2), reference.global_tokens([0, 1, 2])),
    ),
    "not": (~masks.window(1, 1), reference.inverted(reference.window(1, 1))),
}
cases = pytest.mark.parametrize(("mask", "condition"), CASES.values(), ids=CASES.keys())


def part(condition, first_query=FIRST_QUERY, first_key=FIRST_KEY):
    return [
        [condition(first_query + i, first_key + j) for j in range(KEYS)] for i in range(QUERIES)
    ]


def at(queries=range(QUERIES), keys=range(KEYS)):
    return Tile(queries, keys, torch.device("cpu"))


@cases
def test_a_shifted_mask_is_the_part_of_the_map_it_was_shifted_to(mask, condition):
    shifted = mask.shifted(FIRST_QUERY, FIRST_KEY)
    shifted.check((), QUERIES, KEYS)
    found = shifted.allowed(at(), 2).expand(QUERIES, KEYS)
    assert found.tolist() == part(condition)


@cases
def test_shifts_add_up(mask, condition):
    found = mask.shifted(1, 2).shifted(FIRST_QUERY - 1, FIRST_KEY - 2)
    assert found.allowed(at(), 2).expand(QUERIES, KEYS).tolist() == part(condition)


@cases
def test_rows_picked_by_number_are_shifted_too(mask, condition):
    rows = torch.tensor([2, 0])
    found = mask.shifted(FIRST_QUERY, FIRST_KEY).allowed(at(queries=rows), 2).expand(2, KEYS)
    table = part(condition)
    assert found.tolist() == [table[2], table[0]]


@cases
def test_the_tiles_of_a_shifted_mask_promise_nothing_false(mask, condition):
    rows, columns = Spans.of(QUERIES, 2), Spans.of(KEYS, 2)
    tiles = mask.shifted(FIRST_QUERY, FIRST_KEY).tiles(rows, columns)
    table = torch.tensor(part(condition))
    for r, c in torch.cartesian_prod(torch.arange(2), torch.arange(3)).tolist():
        tile = table[2 * r : 2 * r + 2, 2 * c : 2 * c + 2]
        assert tiles[r, c] != EMPTY or not tile.any()
        assert tiles[r, c] != FULL or tile.all()


@cases
def test_attention_under_a_shifted_mask_is_attention_under_its_table(mask, condition):
    query, key = torch.randn(2, QUERIES, 4), torch.randn(2, KEYS, 4)
    found = attend(query, key, key, mask=mask.shifted(FIRST_QUERY, FIRST_KEY))
    table = torch.tensor(part(condition)).unsqueeze(0)
    assert_close(found, attend(query, key, key, mask=table, path="reference"))


def test_a_shifted_mask_claims_no_more_than_it_keeps():
    table = masks.padding(torch.tensor([1, 3])).shifted(0, 1)
    assert not table.keeps_first
    assert masks.padding(torch.tensor([1, 3])).shifted(2).keeps_first
    assert not masks.window(2, 0).shifted(3).looks_back


def test_a_causal_mask_stays_causal_and_a_window_that_moves_along_stays_itself():
    window = masks.window(2)
    assert masks.causal().shifted(5, 2).offset == 3
    assert window.shifted(4, 4) is window


def test_a_mask_that_ends_too_early_is_refused():
    with pytest.raises(ShapeError, match="at least 12 queries"):
        masks.dense(torch.tensor(_DENSE)).shifted(10).check((), 2, 4)
    with pytest.raises(ShapeError, match="one id for each of 12 query positions"):
        masks.document(torch.tensor(_IDS)).shifted(10).check((), 2, 4)


def test_the_mask_of_the_last_query_is_not_needed():
    assert needed(masks.causal().shifted(6), (2,), 1, 7) is None
    assert needed(None, (2,), 2, 3) is None
    kept = masks.padding(torch.tensor([3, 7]))
    assert needed(masks.causal().shifted(6) & kept, (2,), 1, 7) is kept
    assert needed(masks.causal().shifted(5), (2,), 2, 7) is not None


@pytest.mark.parametrize(
    ("term", "number"),
    [
        (scores.Alibi(2), lambda h, i, j: ref_scores.alibi(ref_scores.alibi_slopes(2)[h], i, j)),
        (
            scores.Relative(torch.arange(14.0).view(2, 7)),
            lambda h, i, j: ref_scores.relative([7.0 * h + n for n in range(7)], i, j),
        ),
    ],
    ids=["alibi", "relative"],
)
def test_a_shifted_position_term_is_the_part_of_the_map_it_was_shifted_to(term, number):
    query, key = torch.randn(2, QUERIES, 4), torch.randn(2, KEYS, 4)
    expected = [
        [[number(h, FIRST_QUERY + i, FIRST_KEY + j) for j in range(KEYS)] for i in range(QUERIES)]
        for h in range(2)
    ]
    assert_close(term.shifted(FIRST_QUERY, FIRST_KEY)(query, key), torch.tensor(expected))
    assert_close(term.shifted(1, 2).shifted(3)(query, key), torch.tensor(expected))
    both = (scores.Dot() + term).shifted(FIRST_QUERY, FIRST_KEY)
    assert_close(both(query, key), query @ key.mT + torch.tensor(expected))


def test_scores_of_places_move_with_the_keys():
    weight, centres = torch.randn(ALL, 4), torch.randn(ALL)
    query, key = torch.randn(QUERIES, 4), torch.randn(KEYS, 4)
    moved = scores.Location(weight).shifted(FIRST_QUERY, FIRST_KEY)(query, key)
    assert_close(moved, query @ weight[FIRST_KEY : FIRST_KEY + KEYS].mT)
    centred = scores.GaussianAround(centres[:7], 2.0).shifted(FIRST_QUERY, FIRST_KEY)(query, key)
    expected = [
        [
            ref_scores.gaussian_around(centres[FIRST_QUERY + i].item(), 2.0, FIRST_KEY + j)
            for j in range(KEYS)
        ]
        for i in range(QUERIES)
    ]
    assert_close(centred, torch.tensor(expected))


def test_a_score_of_content_stays_what_it_is():
    cosine = scores.Cosine()
    assert cosine.shifted(3, 1) is cosine
