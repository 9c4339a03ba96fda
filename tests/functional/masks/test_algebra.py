"""Laws of combined masks, looked for by hypothesis: what they allow, what they say of tiles."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference import masks as ref_masks
from regard import attend, masks
from regard.functional.engine import stream as blocks
from regard.functional.forms import Tile
from regard.functional.masks import EMPTY, FULL, Spans

CPU = torch.device("cpu")
NUM_QUERIES, NUM_KEYS = 9, 11
LENGTHS = st.lists(st.integers(0, NUM_KEYS), min_size=2, max_size=2)


def ids(length):
    row = st.lists(st.integers(0, 3), min_size=length, max_size=length)
    return st.lists(row, min_size=2, max_size=2)


@st.composite
def leaves(draw):
    """A recipe for a mask of the package, and per batch entry the condition that defines it.

    The mask is made in the test and not here: while it draws, hypothesis allows no other source of
    randomness, and the checks of type hints look at random items of a list.
    """
    kind = draw(st.sampled_from(
        ["causal", "window", "padding", "document", "prefix", "strided", "blocks", "layout",
         "global", "dense"]
    ))  # fmt: skip
    if kind == "causal":
        offset = draw(st.integers(-12, 12))
        return lambda: masks.causal(offset), [ref_masks.causal(offset)] * 2
    if kind == "window":
        left, right = draw(st.integers(0, 6)), draw(st.integers(0, 6))
        return lambda: masks.window(left, right), [ref_masks.window(left, right)] * 2
    if kind == "padding":
        lengths = draw(LENGTHS)
        return lambda: masks.padding(lengths), [ref_masks.padding(n) for n in lengths]
    if kind == "document":
        query_ids, key_ids = draw(ids(NUM_QUERIES)), draw(ids(NUM_KEYS))
        pairs = zip(query_ids, key_ids, strict=True)
        return lambda: masks.document(torch.tensor(query_ids), torch.tensor(key_ids)), [
            ref_masks.document(*pair) for pair in pairs
        ]
    if kind == "prefix":
        n = draw(st.integers(0, NUM_KEYS))
        return lambda: masks.prefix(n), [ref_masks.prefix(n)] * 2
    if kind == "strided":
        stride = draw(st.integers(1, 5))
        return lambda: masks.strided(stride), [ref_masks.strided(stride)] * 2
    if kind == "blocks":
        size = draw(st.integers(1, 5))
        return lambda: masks.blocks(size), [ref_masks.blocks(size)] * 2
    if kind == "layout":
        size = draw(st.integers(2, 5))
        row = st.lists(st.booleans(), min_size=6, max_size=6)
        layout = draw(st.lists(row, min_size=5, max_size=5))
        return lambda: masks.blocks(size, torch.tensor(layout)), [
            ref_masks.blocks(size, layout)
        ] * 2
    if kind == "global":
        positions = draw(st.lists(st.integers(0, 12), max_size=4))
        return lambda: masks.global_tokens(positions), [ref_masks.global_tokens(positions)] * 2
    row = st.lists(st.booleans(), min_size=NUM_KEYS, max_size=NUM_KEYS)
    table = draw(st.lists(row, min_size=NUM_QUERIES, max_size=NUM_QUERIES))
    return lambda: masks.dense(torch.tensor(table)), [ref_masks.dense(table)] * 2


def combined(children):
    def both(pair):
        (a, left), (b, right) = pair
        return lambda: a() & b(), [ref_masks.both(*c) for c in zip(left, right, strict=True)]

    def either(pair):
        (a, left), (b, right) = pair
        return lambda: a() | b(), [ref_masks.either(*c) for c in zip(left, right, strict=True)]

    def inverted(child):
        mask, conditions = child
        return lambda: ~mask(), [ref_masks.inverted(c) for c in conditions]

    pairs = st.tuples(children, children)
    return st.one_of(pairs.map(both), pairs.map(either), children.map(inverted))


any_mask = st.recursive(leaves(), combined, max_leaves=4)
any_edges = st.lists(st.integers(1, NUM_KEYS - 1), max_size=5, unique=True).map(sorted)


def table_of(conditions):
    return torch.tensor([ref_masks.table(c, NUM_QUERIES, NUM_KEYS) for c in conditions])


def allowed(mask, rows=range(NUM_QUERIES), columns=range(NUM_KEYS)):
    found = mask.allowed(Tile(rows, columns, CPU), 3)
    return found.expand(2, len(rows), len(columns))


def spans(edges, length):
    bounds = [0, *(edge for edge in edges if edge < length), length]
    return Spans(torch.tensor(bounds[:-1]), torch.tensor(bounds[1:])), bounds


@given(any_mask)
def test_combined_masks_allow_what_their_conditions_allow(case):
    make, conditions = case
    mask = make()
    mask.check((2,), NUM_QUERIES, NUM_KEYS)
    assert torch.equal(allowed(mask), table_of(conditions))


@given(any_mask, any_edges, any_edges)
@settings(max_examples=150)
def test_a_tile_called_empty_has_no_pair_and_one_called_full_has_all(case, row_edges, column_edges):
    make, conditions = case
    mask = make()
    table = table_of(conditions)
    rows, row_bounds = spans(row_edges, NUM_QUERIES)
    columns, column_bounds = spans(column_edges, NUM_KEYS)
    kinds = mask.tiles(rows, columns)
    for r in range(len(row_bounds) - 1):
        for c in range(len(column_bounds) - 1):
            tile = table[
                :, row_bounds[r] : row_bounds[r + 1], column_bounds[c] : column_bounds[c + 1]
            ]
            assert kinds[r, c] != EMPTY or not tile.any()
            assert kinds[r, c] != FULL or tile.all()


@given(any_mask)
@settings(max_examples=100)
def test_what_a_combined_mask_promises_is_true(case):
    make, conditions = case
    mask = make()
    table = table_of(conditions)
    ahead = torch.ones(NUM_QUERIES, NUM_KEYS, dtype=torch.bool).triu(1)
    assert not mask.looks_back or not (table & ahead).any()
    assert not mask.keeps_first or table[..., 0].all()
    assert not mask.keeps_self or table.diagonal(dim1=-2, dim2=-1).all()
    assert not mask.covers(NUM_QUERIES, NUM_KEYS) or table.any(-1).all()


@given(any_mask, any_mask)
def test_de_morgan_and_double_negation_hold(first, second):
    a, b = first[0](), second[0]()
    assert torch.equal(allowed(~(a & b)), allowed(~a | ~b))
    assert torch.equal(allowed(~(a | b)), allowed(~a & ~b))
    assert torch.equal(allowed(~~a), allowed(a))
    assert torch.equal(allowed(a & b), allowed(b & a))
    assert not allowed(a & ~a).any()
    assert allowed(a | ~a).all()


@given(any_mask, st.data())
def test_any_part_of_a_combined_mask_is_that_part_of_the_whole(case, data):
    make, conditions = case
    mask = make()
    picked = st.lists(st.integers(0, NUM_QUERIES - 1), min_size=1, max_size=4)
    rows = torch.tensor(data.draw(picked))
    start = data.draw(st.integers(0, NUM_KEYS - 1))
    columns = range(start, data.draw(st.integers(start + 1, NUM_KEYS)))
    expected = table_of(conditions)[:, rows, columns.start : columns.stop]
    assert torch.equal(allowed(mask, rows, columns), expected)


@pytest.mark.usefixtures("small_blocks")
@given(any_mask)
@settings(max_examples=100)
def test_blocks_leave_out_no_allowed_pair_and_need_no_mask_only_where_all_is_allowed(case):
    make, conditions = case
    mask = make()
    table = table_of(conditions)
    cut = blocks.row_blocks(mask, NUM_QUERIES, NUM_KEYS, 2, CPU)
    assert [i for block in cut for i in block.rows] == list(range(NUM_QUERIES))
    for block in cut:
        rows = table[:, block.rows.start : block.rows.stop]
        columns = (
            list(block.columns) if isinstance(block.columns, range) else block.columns.tolist()
        )
        left_out = [j for j in range(NUM_KEYS) if j not in columns]
        assert not rows[..., left_out].any()
        assert block.masked or rows[..., columns].all()


@pytest.mark.usefixtures("small_blocks")
@given(any_mask, st.integers(0, 10_000))
@settings(max_examples=50)
def test_streaming_under_any_mask_equals_the_dense_map(case, seed):
    make, conditions = case
    mask = make()
    generator = torch.Generator().manual_seed(seed)
    shapes = (2, NUM_QUERIES, 3), (2, NUM_KEYS, 3), (2, NUM_KEYS, 2)
    query, key, value = (
        torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes
    )
    pairs = table_of(conditions)
    for normalise in ("softmax", "sparsemax"):
        expected = attend(query, key, value, mask=pairs, normalise=normalise, path="reference")
        for path in ("auto", "stream"):
            found = attend(query, key, value, mask=mask, normalise=normalise, path=path)
            assert_close(found, expected)
