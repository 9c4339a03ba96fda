"""Alignment heads, symmetrised links, warping and drift."""

import itertools

import pytest
import torch

from reference import explaining
from regard.data.alignment import Side
from regard.errors import InputError, RangeError, ShapeError
from regard.measures import (
    Gold,
    HeadWeights,
    alignment_heads,
    drift,
    grow_diag,
    grow_diag_final,
    intersection,
    monotone_cost,
    union,
    warp,
)
from regard.measures.extract import Head

SOURCE, TARGET = 7, 6


def words(count: int) -> Side:
    spans = [(2 * n, 2 * n + 1) for n in range(count)]
    return Side(spans, spans)


def sentence(seed: int, place: tuple[int, int], shift: int, noise: float = 1.0) -> HeadWeights:
    """One gold head, moved by its shift, among 63 random ones."""
    generator = torch.Generator().manual_seed(seed)
    weights = torch.rand(8, 8, TARGET + 1, SOURCE + 1, generator=generator) * noise
    order = torch.randperm(SOURCE, generator=generator)[:TARGET].tolist()
    own = torch.zeros(TARGET + 1, SOURCE + 1)
    for row, column in enumerate(order):
        own[row + shift, column] = 5
    weights[place] = own
    gold = Gold(frozenset((i, j) for j, i in enumerate(order)))
    return HeadWeights(weights, words(SOURCE), words(TARGET), gold)


@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("place", [(0, 3), (5, 7)])
def test_a_gold_head_among_63_is_found_with_its_shift(place, shift):
    found = alignment_heads([sentence(seed, place, shift) for seed in range(6)], k=3)
    assert found.heads == (Head(*place, shift),)
    assert found.score.aer == 0


def test_two_half_heads_are_better_together():
    some = [sentence(seed, (0, 0), 0) for seed in range(6)]
    split = []
    for one in some:
        weights = one.weights * 0.1
        gold = one.weights[0, 0]
        weights[2, 1] = gold * (torch.arange(TARGET + 1) % 2)[:, None] * 0.1
        weights[3, 4] = gold * (torch.arange(TARGET + 1) % 2 == 0)[:, None] * 0.1
        weights[0, 0] = 0.1
        split.append(one._replace(weights=weights))
    found = alignment_heads(split, k=4, shifts=(0,))
    assert {head[:2] for head in found.heads[:2]} == {(2, 1), (3, 4)}
    assert found.score.aer == 0
    assert [one.aer for one in found.scores] == sorted([one.aer for one in found.scores])[::-1]


def test_a_search_needs_sentences_and_heads():
    with pytest.raises(InputError, match="gold links"):
        alignment_heads([])
    with pytest.raises(RangeError, match="at least 1"):
        alignment_heads([sentence(0, (0, 0), 0)], 0)


def test_symmetrised_links_of_a_worked_example():
    forward = frozenset({(0, 0), (1, 1), (2, 1), (4, 4)})
    backward = frozenset({(0, 0), (1, 1), (1, 2), (5, 5)})
    assert intersection(forward, backward) == {(0, 0), (1, 1)}
    assert union(forward, backward) == {(0, 0), (1, 1), (2, 1), (1, 2), (4, 4), (5, 5)}
    assert grow_diag(forward, backward) == {(0, 0), (1, 1), (2, 1), (1, 2)}
    assert grow_diag_final(forward, backward) == union(forward, backward)
    late = frozenset({(0, 0), (0, 4)})
    assert grow_diag_final(late, frozenset({(0, 0)}), both=True) == {(0, 0)}
    assert grow_diag_final(late, frozenset({(0, 0)})) == late


@pytest.mark.parametrize("by", [-1, 0, 1])
def test_drift_has_the_sign_of_link_less_gold(by):
    gold = frozenset((i, i) for i in range(2, 6))
    assert drift(frozenset((i + by, j) for i, j in gold), gold) == by


@pytest.mark.parametrize("seed", range(5))
def test_the_cheapest_path_costs_what_trying_every_way_finds(seed):
    cost = torch.rand(4, 5, generator=torch.Generator().manual_seed(seed))
    path = warp(cost)
    assert path[0] == (0, 0)
    assert path[-1] == (3, 4)
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(path)]
    assert set(steps) <= {(0, 1), (1, 0), (1, 1)}
    assert sum(float(cost[at]) for at in path) == pytest.approx(
        explaining.warp_cost(cost.tolist()), abs=1e-5
    )


def test_a_warped_diagonal_is_followed():
    where = [0, 0, 1, 1, 1, 4, 5, 9, 10, 11]
    weights = torch.rand(2, 10, 12, generator=torch.Generator().manual_seed(0)) * 0.1
    for row, column in enumerate(where):
        weights[:, row, column] += 2
    path = warp(monotone_cost(weights, width=1))
    assert {(row, column) for row, column in enumerate(where)} <= set(path)
    with pytest.raises(ShapeError, match="at least one pair"):
        warp(torch.zeros(0, 3))
