"""Statistics of the weights against loops over the whole map."""

import pytest
import torch
from torch.testing import assert_close

from functional.cases.call import inputs, reference_weights
from functional.cases.masks import MASK
from functional.cases.normalisers import NORMALISERS
from functional.cases.scores import SCORE
from functional.cases.sizes import KEYS, QUERIES
from reference import attention
from regard import masks, statistics

MASK_NAMES = ("none", "causal", "causal(-2)", "padding_by_head", "blocks_by_layout", "tensor")
NAMES = ("scaled_dot", "additive", "alibi", "epanechnikov")


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks):
    """The map is walked in several blocks."""


def per_query(view, weights):
    return [[[view(i, row) for i, row in enumerate(table)] for table in b] for b in weights]


@pytest.mark.parametrize("mask", [MASK[name] for name in MASK_NAMES], ids=str)
@pytest.mark.parametrize("normaliser", NORMALISERS, ids=str)
@pytest.mark.parametrize("score", NAMES)
def test_statistics_are_those_of_the_map(score, normaliser, mask):
    query, key, _, parameters = inputs(SCORE[score])
    found = statistics(
        query,
        key,
        score=SCORE[score].make(**parameters),
        mask=mask.make(),
        normalise=normaliser.value,
    )
    weights = reference_weights(score, normaliser.name, mask.name)
    expected = {
        "entropy": per_query(lambda i, row: attention.entropy(row), weights),
        "maximum": per_query(lambda i, row: max(row), weights),
        "effective_keys": per_query(lambda i, row: attention.effective_keys(row), weights),
        "distance": per_query(attention.distance, weights),
        "column_mass": [[attention.column_mass(table, KEYS) for table in b] for b in weights],
    }
    for name, numbers in expected.items():
        wanted = torch.tensor(numbers, dtype=torch.float64)
        assert_close(
            getattr(found, name),
            wanted,
            rtol=1e-8,
            atol=1e-9,
            msg=lambda text, name=name: f"{name}: {text}",
        )


def test_equal_scores_have_the_statistics_known_by_hand():
    found = statistics(torch.zeros(4, 3), torch.zeros(4, 3), mask=masks.causal())
    assert_close(found.effective_keys, torch.tensor([1.0, 2.0, 3.0, 4.0]))
    assert_close(found.entropy, torch.tensor([1.0, 2.0, 3.0, 4.0]).log())
    assert_close(found.maximum, torch.tensor([1, 1 / 2, 1 / 3, 1 / 4]))
    assert_close(found.distance, torch.tensor([0.0, 0.5, 1.0, 1.5]))
    harmonic = [1 + 1 / 2 + 1 / 3 + 1 / 4, 1 / 2 + 1 / 3 + 1 / 4, 1 / 3 + 1 / 4, 1 / 4]
    assert_close(found.column_mass, torch.tensor(harmonic))


def test_a_negative_weight_counts_by_its_size():
    """Scores 3, −1 and −4 over three keys are the weights 1, −1/3 and −4/3: shares 3, 1, 4 of 8."""
    query, key = torch.ones(1, 1), torch.tensor([[3.0], [-1.0], [-4.0]])
    found = statistics(query, key, score="dot", normalise="mean")
    shares = torch.tensor([3 / 8, 1 / 8, 4 / 8])
    assert_close(found.entropy, -(shares * shares.log()).sum().reshape(1))
    assert_close(found.distance, torch.tensor([1 / 8 + 2 * 4 / 8]))
    assert_close(found.maximum, torch.ones(1))
    assert_close(found.column_mass, torch.tensor([1, -1 / 3, -4 / 3]))


def test_statistics_carry_no_gradient():
    query = torch.randn(QUERIES, 3, requires_grad=True)
    found = statistics(query, torch.randn(KEYS, 3))
    assert not any(view.requires_grad for view in found)


@pytest.mark.parametrize(("num_queries", "num_keys"), [(0, KEYS), (QUERIES, 0)])
def test_an_empty_map_has_empty_statistics(num_queries, num_keys):
    found = statistics(torch.zeros(2, num_queries, 3), torch.zeros(2, num_keys, 3))
    assert found.entropy.shape == found.distance.shape == (2, num_queries)
    assert found.column_mass.shape == (2, num_keys)
    assert not torch.cat([view.flatten() for view in found]).any()
