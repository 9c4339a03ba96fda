"""Gated additive scores in pieces equal gated additive scores by the definition."""

import pytest
import torch
from torch.testing import assert_close

from regard.functional.forms import GatedTanh, Tile
from regard.functional.forms import pieced as gated


@pytest.fixture
def form():
    query, key = torch.randn(2, 1, 5, 14), torch.randn(3, 7, 14)
    leaves = [x.double().requires_grad_() for x in (query, key, torch.randn(7))]
    return GatedTanh(*leaves)


@pytest.mark.parametrize("tile", [1, 500, 2**20])
def test_some_features_at_a_time_give_the_same_scores_and_gradients(form, monkeypatch, tile):
    monkeypatch.setattr(gated, "TILE", tile)
    at = Tile(range(5), range(7), torch.device("cpu"))
    sides = form.rows, form.columns, form.shared
    leaves = (form.query, form.key, form.weight)
    whole, pieces = form.tile(*sides, at), form.fast_tile(*sides, at)
    assert whole.shape == (2, 3, 5, 7)
    assert_close(pieces, whole)
    upstream = torch.randn_like(whole)
    expected = torch.autograd.grad(whole, leaves, upstream)
    assert_close(torch.autograd.grad(pieces, leaves, upstream), expected)


def test_no_more_than_a_tile_is_held_at_once(form, monkeypatch):
    held = []
    definition = gated._definition
    monkeypatch.setattr(gated, "TILE", 500)

    def watched(query, *rest):
        held.append(query.shape[-1])
        return definition(query, *rest)

    monkeypatch.setattr(gated, "_definition", watched)
    with torch.no_grad():
        at = Tile(range(5), range(7), torch.device("cpu"))
        form.fast_tile(form.rows, form.columns, form.shared, at)
    assert held == [2, 2, 2, 1]  # 2 · 3 · 5 · 7 pairs, twice, are less than 500


def test_some_heads_are_these_heads(form):
    at = Tile(range(5), range(7), torch.device("cpu"))
    heads = torch.tensor([2, 0])
    assert_close(form.of_heads(heads).scores(at), form.scores(at)[:, heads])
