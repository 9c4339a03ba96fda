"""Each mask against its condition written as a loop, whole and tile by tile."""

import sys
from itertools import pairwise

import pytest
import torch
from torch.testing import assert_close

from functional.cases.call import reference_allowed
from functional.cases.masks import MASKS
from functional.cases.sizes import BATCH, HEADS, KEYS, QUERIES
from regard import masks
from regard.functional.forms import Tile
from regard.functional.masks import EMPTY, FULL, PARTIAL, Spans, as_mask

CPU = torch.device("cpu")

recipes = [case for case in MASKS if case.name != "none"]
every_mask = pytest.mark.parametrize("case", recipes, ids=str)


def table_of(case):
    return torch.tensor(reference_allowed(case.name))


def allowed(mask, rows=None, columns=None):
    rows = range(QUERIES) if rows is None else rows
    columns = range(KEYS) if columns is None else columns
    found = as_mask(mask).allowed(Tile(rows, columns, CPU), 4)
    return found.expand(BATCH, HEADS, len(rows), len(columns))


@every_mask
def test_a_mask_allows_the_pairs_of_its_condition(case):
    assert_close(allowed(case.make()), table_of(case))


@every_mask
def test_a_tile_of_a_mask_is_that_part_of_the_whole(case):
    mask, table = case.make(), table_of(case)
    for rows, columns in ((range(1, 4), range(2, 7)), (range(4, 5), range(0, 1))):
        expected = table[..., rows.start : rows.stop, columns.start : columns.stop]
        assert_close(allowed(mask, rows, columns), expected)


@every_mask
def test_scattered_rows_and_columns_of_a_mask_are_those_of_the_whole(case):
    rows, columns = torch.tensor([4, 0, 2]), torch.tensor([6, 1, 3, 0])
    expected = table_of(case)[..., rows, :][..., columns]
    assert_close(allowed(case.make(), rows, columns), expected)


@every_mask
def test_an_inverted_mask_allows_the_other_pairs(case):
    assert_close(allowed(~as_mask(case.make())), ~table_of(case))
    assert_close(allowed(~~as_mask(case.make())), table_of(case))


@every_mask
@pytest.mark.parametrize("size", [1, 2, 3, 4, 8])
def test_a_tile_called_empty_or_full_is_so_in_the_whole_batch(case, size):
    table = table_of(case)
    for mask, pairs in ((as_mask(case.make()), table), (~as_mask(case.make()), ~table)):
        kinds = mask.tiles(Spans.of(QUERIES, size), Spans.of(KEYS, size + 1))
        assert kinds.shape == (-(-QUERIES // size), -(-KEYS // (size + 1)))
        for r in range(kinds.shape[0]):
            for c in range(kinds.shape[1]):
                tile = pairs[..., r * size : (r + 1) * size, c * (size + 1) : (c + 1) * (size + 1)]
                assert kinds[r, c] in (EMPTY, PARTIAL, FULL)
                assert kinds[r, c] != EMPTY or not tile.any()
                assert kinds[r, c] != FULL or tile.all()


@pytest.mark.parametrize("case", [c for c in recipes if "tensor" not in c.name], ids=str)
def test_a_single_pair_is_never_called_partial_if_the_batch_agrees(case):
    """Otherwise a mask could call everything partial and skip nothing."""
    table = table_of(case)
    kinds = as_mask(case.make()).tiles(Spans.of(QUERIES, 1), Spans.of(KEYS, 1))
    for i in range(QUERIES):
        for j in range(KEYS):
            pair = table[..., i, j]
            if not pair.any():
                assert kinds[i, j] == EMPTY
            if pair.all():
                assert kinds[i, j] == FULL


@every_mask
def test_what_a_mask_promises_about_its_pairs_is_true(case):
    mask, table = as_mask(case.make()), table_of(case)
    ahead = torch.ones(QUERIES, KEYS, dtype=torch.bool).triu(1)
    if mask.looks_back:
        assert not (table & ahead).any()
    if mask.keeps_first:
        assert table[..., 0].all()
    if mask.keeps_self:
        assert table.diagonal(dim1=-2, dim2=-1).all()
    if mask.covers(QUERIES, KEYS):
        assert table.any(-1).all()


@pytest.mark.parametrize(
    ("mask", "looks_back", "covers"),
    [
        (masks.causal(), True, True),
        (masks.causal(1), False, True),
        (masks.causal(-1), True, False),
        (masks.window(3, 0), True, True),
        (masks.window(3, 1), False, True),
        (masks.causal() & masks.padding([2, 5]), True, True),
        (masks.causal() & masks.padding([0, 5]), True, False),
        (masks.window(1, 0) & masks.padding([2, 5]), True, False),
        (masks.prefix(2), False, True),
        (masks.window(1) | masks.global_tokens(1), False, True),
        (~masks.causal(), False, False),
    ],
    ids=repr,
)
def test_the_engine_is_told_what_it_needs_to_run_fused(mask, looks_back, covers):
    assert mask.looks_back == looks_back
    assert mask.covers(QUERIES, KEYS) == covers


def test_an_offset_beyond_all_positions_allows_all_keys_or_none():
    assert allowed(masks.causal(sys.maxsize)).all()
    assert not allowed(masks.causal(-sys.maxsize)).any()
    assert allowed(masks.causal(sys.maxsize).shifted(2)).all()


def test_more_queries_than_keys_are_not_covered_by_a_window():
    assert not masks.window(1).covers(num_queries=9, num_keys=7)
    assert not masks.causal().covers(num_queries=2, num_keys=0)


def test_lengths_belong_to_the_first_axes_and_a_tensor_to_the_last():
    lengths = torch.tensor([1, 2])
    by_batch = masks.padding(lengths).allowed(Tile(range(1), range(3), CPU), 4)
    assert by_batch.shape == (2, 1, 1, 3)
    by_sequence = masks.padding(lengths).allowed(Tile(range(1), range(3), CPU), 3)
    assert by_sequence.shape == (2, 1, 3)


def test_a_tensor_combines_with_a_mask_from_either_side():
    pairs = torch.tensor([[True, False], [True, True]])
    at = Tile(range(2), range(2), CPU)
    for combined in (masks.causal() & pairs, pairs & masks.causal()):
        assert combined.allowed(at, 2).tolist() == [[True, False], [True, True]]
    for combined in (masks.causal() | ~pairs, ~pairs | masks.causal()):
        assert combined.allowed(at, 2).tolist() == [[True, True], [True, True]]


def test_and_binds_before_or_as_in_python():
    at = Tile(range(3), range(3), CPU)
    combined = masks.window(0, 0) | masks.causal() & masks.prefix(1)
    assert combined.allowed(at, 2).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_positions_that_are_far_apart_share_an_id_without_sharing_their_neighbours():
    """Ids need not be sorted: [0, 1, 0] holds a pair that its range of ids alone does not show."""
    ids = torch.tensor([[0, 1, 0, 1, 2]])
    mask = masks.document(ids)
    table = ids.unsqueeze(-1) == ids.unsqueeze(-2)
    spans = Spans.of(5, 2)
    kinds = mask.tiles(spans, spans)
    for r, (a, b) in enumerate(pairwise((0, 2, 4, 5))):
        for c, (d, e) in enumerate(pairwise((0, 2, 4, 5))):
            tile = table[..., a:b, d:e]
            assert kinds[r, c] != EMPTY or not tile.any()
            assert kinds[r, c] != FULL or tile.all()


@pytest.mark.parametrize("positions", [2, [0, 1], torch.tensor([1, 0, 1])], ids=str)
def test_global_tokens_are_the_first_few_or_a_list_in_any_order(positions):
    found = masks.global_tokens(positions).allowed(Tile(range(4), range(4), CPU), 2)
    expected = [[i < 2 or j < 2 for j in range(4)] for i in range(4)]
    assert found.tolist() == expected


@every_mask
def test_a_mask_prints_as_one_short_line(case):
    shown = repr(as_mask(case.make()))
    assert "\n" not in shown
    assert len(shown) < 120


def test_masks_print_as_they_are_written():
    assert repr(masks.causal()) == "causal()"
    assert repr(masks.causal(2)) == "causal(2)"
    assert repr(masks.window(3, 1)) == "window(3, 1)"
    both = masks.causal() & masks.padding([2, 3]) | ~masks.blocks(4)
    assert repr(both) == "((causal() & padding([2, 3])) | ~blocks(4))"
