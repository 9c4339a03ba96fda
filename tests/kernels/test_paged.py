"""Attention over keys that lie anywhere: compiled and gathered, against loops."""

import math

import pytest
import torch
from torch.testing import assert_close

from regard.kernels.available import without_numba
from regard.kernels.paged import Pages, attend_paged
from regard.kernels.ragged import Heads
from regard.kernels.threads import over_rows

ROWS = 17


def drawn(dtype, heads, seed=0):
    """Queries, keys and values in the last columns, and lists of different lengths, two shared."""
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(5, heads.query * heads.width + 3, generator=generator, dtype=dtype)
    pairs = torch.randn(ROWS, 4 + 2 * heads.key * heads.width, generator=generator, dtype=dtype)
    slots = torch.randint(ROWS, (3, 7), generator=generator)
    return query, pairs, Pages(slots, torch.tensor([7, 1, 4]), torch.tensor([2, 0, 1, 2, 2]))


def by_loops(query, pairs, pages, heads):
    """One number at a time."""
    rows = []
    for row, of in zip(query.tolist(), pages.lists.tolist(), strict=True):
        listed = pages.slots[of, : pages.counts[of]].tolist()
        found = []
        for head in range(heads.query):
            own = row[head * heads.width : (head + 1) * heads.width]
            first = 4 + head // (heads.query // heads.key) * heads.width
            keys = [pairs[slot, first : first + heads.width].tolist() for slot in listed]
            behind = first + heads.key * heads.width
            values = [pairs[slot, behind : behind + heads.width].tolist() for slot in listed]
            scores = [sum(map(math.prod, zip(own, key, strict=True))) for key in keys]
            powers = [math.exp(score / math.sqrt(heads.width)) for score in scores]
            found += [
                sum(power * value[d] for power, value in zip(powers, values, strict=True))
                / sum(powers)
                for d in range(heads.width)
            ]
        rows.append(found)
    return torch.tensor(rows, dtype=query.dtype)


@pytest.mark.parametrize("heads", [Heads(2, 2, 3), Heads(4, 2, 3), Heads(3, 1, 5)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("compiled", [True, False])
def test_every_query_pools_the_keys_on_its_list(heads, dtype, compiled):
    query, pairs, pages = drawn(dtype, heads)
    expected = by_loops(query, pairs, pages, heads)
    if compiled:
        assert_close(attend_paged(query, pairs, pages, heads), expected)
    else:
        with without_numba():
            assert_close(attend_paged(query, pairs, pages, heads), expected)


def test_what_stands_behind_the_end_of_a_list_is_not_read():
    heads = Heads(2, 2, 3)
    query, pairs, pages = drawn(torch.float64, heads)
    once = attend_paged(query, pairs, pages, heads)
    unread = ROWS - 1
    assert not (pages.slots[pages.read()] == unread).any()
    pages.slots[~pages.read()] = unread
    pairs[unread] = torch.nan
    assert torch.equal(attend_paged(query, pairs, pages, heads), once)


def test_large_scores_overflow_nothing():
    heads = Heads(2, 2, 3)
    query, pairs, pages = drawn(torch.float32, heads)
    assert attend_paged(1e4 * query, pairs, pages, heads).isfinite().all()


def test_threads_share_out_the_rows(monkeypatch):
    parts = []

    def watched(work, rows, seconds, *arguments):
        parts.append(rows)
        return over_rows(work, rows, 1.0, *arguments)

    monkeypatch.setattr("regard.kernels.paged.over_rows", watched)
    heads = Heads(2, 2, 3)
    query, pairs, pages = drawn(torch.float64, heads)
    assert_close(attend_paged(query, pairs, pages, heads), by_loops(query, pairs, pages, heads))
    assert parts == [5]
