"""Every step of an explanation is the number it says, and the last ones are what attend returns."""

import math

import pytest
import torch
from torch.testing import assert_close

from functional.cases.call import (
    inputs,
    key_list,
    query_list,
    reference_allowed,
    reference_context,
    reference_scores,
    reference_weights,
    value_list,
)
from functional.cases.masks import MASK
from functional.cases.normalisers import NORMALISER, NORMALISERS
from functional.cases.scores import SCORE, SCORES
from reference import scores as ref_scores
from regard import attend, explain, scores, weigh

# One query, four keys which are their own values.
QUERY = [10.0, 5.0, 10.0]
KEYS = [[0.0, 1.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 5.0, 1.0]]

# Three vectors through one matrix.
VECTORS = [[1.0, 2.0, 3.0, 4.0], [3.0, 2.0, 1.0, 3.0], [0.0, 1.0, 1.0, 4.0]]
MATRIX = [[2.0, 2.0, 0.0, 1.0], [4.0, 2.0, 3.0, 1.0], [0.0, 2.0, 4.0, 1.0], [1.0, 4.0, 2.0, 1.0]]
PROJECTED = [[10.0, 21.0, 20.0, 19.0], [13.0, 22.0, 11.0, 16.0], [6.0, 9.0, 10.0, 10.0]]


def double(values):
    return torch.tensor(values, dtype=torch.float64)


def explained(score, normaliser, mask, dtype=torch.float64, **options):
    query, key, value, parameters = inputs(SCORE[score], dtype)
    choices = {
        "score": SCORE[score].make(**parameters),
        "mask": MASK[mask].make(),
        "normalise": NORMALISER[normaliser].value,
    }
    return explain(query, key, value, **choices, **options), (query, key, value, choices)


def numbers(explanation, name):
    return explanation[name].tensor


# --- worked examples ------------------------------------------------------------------------------


def test_the_first_example_comes_out_step_by_step():
    found = explain(double([QUERY]), double(KEYS), score="dot")
    assert found.scores.tolist() == [[15.0, 60.0, 15.0, 35.0]]
    powers = [math.exp(-45), 1.0, math.exp(-45), math.exp(-25)]
    weights = [power / math.fsum(powers) for power in powers]
    assert_close(found.weights, double([weights]), rtol=1e-12, atol=0.0)
    weighted = [[w * x for x in key] for w, key in zip(weights, KEYS, strict=True)]
    assert_close(numbers(found, "weighted_values"), double([weighted]), rtol=1e-12, atol=0.0)
    context = [math.fsum(column) for column in zip(*weighted, strict=True)]
    assert_close(found.context, double([context]), rtol=1e-12, atol=0.0)
    assert [round(x, 9) for x in found.context[0].tolist()] == [5.0, 0.0, 1.0]


def test_the_second_example_shows_products_before_they_are_scaled():
    projected = double(PROJECTED)
    found = explain(projected, projected)
    products = [[ref_scores.dot(q, k) for k in PROJECTED] for q in PROJECTED]
    assert numbers(found, "dot_products").tolist() == products
    assert found.scores.tolist() == [[p / 2 for p in row] for row in products]
    assert found["scores"].equation == "s = q·k / √4"


def test_the_second_example_as_a_bilinear_score_projects_the_query():
    columns = list(zip(*MATRIX, strict=True))
    square = [
        [math.fsum(a * b for a, b in zip(x, y, strict=True)) / 2 for y in columns] for x in columns
    ]
    found = explain(double(VECTORS), double(VECTORS), score=scores.General(double(square)))
    moved = [[ref_scores.dot(x, column) for column in zip(*square, strict=True)] for x in VECTORS]
    assert numbers(found, "projected_query").tolist() == moved
    products = [[ref_scores.dot(q, k) / 2 for k in PROJECTED] for q in PROJECTED]
    assert_close(found.scores, double(products), rtol=1e-13, atol=0.0)


# --- the whole product ----------------------------------------------------------------------------


@pytest.mark.parametrize("mask", ["none", "tensor", "causal&padding"])
@pytest.mark.parametrize("score", SCORES, ids=str)
def test_scores_weights_and_context_equal_plain_loops(score, mask):
    normaliser = "proportional" if score.positive else "softmax"
    found, _ = explained(score.name, normaliser, mask)
    close = {"rtol": 1e-10, "atol": 1e-12}
    expected = double(reference_scores(score.name))
    assert_close(found.scores.expand(expected.shape), expected, **close)
    weights = double(reference_weights(score.name, normaliser, mask))
    assert_close(found.weights.expand(weights.shape), weights, **close)
    assert_close(found.context, double(reference_context(score.name, normaliser, mask)), **close)


@pytest.mark.parametrize("mask", ["none", "causal", "tensor"])
@pytest.mark.parametrize("normaliser", NORMALISERS, ids=str)
@pytest.mark.parametrize("score", ["scaled_dot", "additive", "gaussian", "scaled_dot+alibi"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16])
def test_the_results_are_those_of_attend_to_the_last_bit(score, normaliser, mask, dtype):
    found, (query, key, value, choices) = explained(score, normaliser.name, mask, dtype)
    assert torch.equal(found.context, attend(query, key, value, path="reference", **choices))
    if not normaliser.jumps:
        assert_close(found.weights, weigh(query, key, **choices))


def test_a_draw_is_the_draw_of_attend():
    query, key, value, _ = inputs(SCORE["dot"])
    torch.manual_seed(5)
    context = attend(query, key, value, score="dot", normalise="sample", path="reference")
    torch.manual_seed(5)
    assert torch.equal(explain(query, key, value, score="dot", normalise="sample").context, context)


# --- inside the scores ----------------------------------------------------------------------------


def test_an_additive_score_shows_both_projections_and_the_hidden_layer():
    found, _ = explained("additive", "softmax", "none")
    case, query, key = (
        SCORE["additive"],
        query_list()[1][2],
        key_list(SCORE["additive"].key_dim)[1][2],
    )
    projected = [ref_scores.apply(case.parameters["query_weight"], q) for q in query]
    keys = [ref_scores.apply(case.parameters["key_weight"], k) for k in key]
    assert_close(numbers(found, "projected_query")[1, 2], double(projected))
    assert_close(numbers(found, "projected_key")[1, 2], double(keys))
    hidden = [
        [[math.tanh(a + b) for a, b in zip(q, k, strict=True)] for k in keys] for q in projected
    ]
    assert_close(numbers(found, "hidden")[1, 2], double(hidden))


def test_an_additive_score_without_weights_projects_nothing():
    found, _ = explained("additive_projected", "softmax", "none")
    assert "projected_query" not in found
    assert "projected_key" not in found
    assert "hidden" in found


def test_a_cosine_shows_vectors_of_length_one():
    found, _ = explained("cosine", "softmax", "none")
    for name, vectors in (
        ("projected_query", query_list()[0][1]),
        ("projected_key", key_list(4)[0][1]),
    ):
        unit = [[x / math.hypot(*vector) for x in vector] for vector in vectors]
        assert_close(numbers(found, name)[0, 1], double(unit))


def test_a_location_score_puts_its_rows_in_the_place_of_keys():
    found, _ = explained("location", "softmax", "none")
    rows = SCORE["location"].parameters["weight"]
    assert numbers(found, "projected_key")[1, 2].tolist() == rows[: found.scores.shape[-1]]
    assert "projected_query" not in found


@pytest.mark.parametrize("score", ["euclidean", "boxcar", "epanechnikov"])
def test_functions_of_the_distance_show_the_distance(score):
    found, _ = explained(score, "softmax", "none")
    distances = [[math.dist(q, k) for k in key_list(4)[1][0]] for q in query_list()[1][0]]
    assert_close(numbers(found, "distances")[1, 0], double(distances))


def test_terms_of_a_sum_come_one_by_one_and_add_up():
    found, _ = explained("scaled_dot+alibi", "softmax", "none")
    slope = ref_scores.alibi_slopes(3)[1]
    assert_close(
        numbers(found, "alibi")[0, 1],
        double([[-slope * abs(i - j) for j in range(7)] for i in range(5)]),
    )
    total = numbers(found, "scaled_dot") + numbers(found, "alibi")
    assert_close(found.scores, total)
    assert found["scores"].equation == "s = f + b"
    assert found["alibi"].equation == "b = −slope · |i − j|"


def test_two_terms_of_one_name_are_numbered():
    found = explain(
        double([QUERY]), double(KEYS), score=scores.Dot() + scores.ScaledDot() + scores.Dot()
    )
    assert found["dot_1"].tensor.tolist() == found["dot_2"].tensor.tolist() == [[15, 60, 15, 35]]
    assert found["scores"].equation == "s = f + f₂ + f₃"


def test_a_scale_of_ones_own_stands_in_the_equation():
    found = explain(double([QUERY]), double(KEYS), score=scores.ScaledDot(scale=0.5))
    assert found["scores"].equation == "s = 0.5 q·k"
    assert found.scores.tolist() == [[7.5, 30.0, 7.5, 17.5]]


# --- masks ----------------------------------------------------------------------------------------


def test_a_mask_shows_what_it_closes():
    found, _ = explained("dot", "softmax", "tensor")
    allowed = torch.tensor(reference_allowed("tensor"))
    assert torch.equal(found["allowed"].tensor, allowed)
    masked = numbers(found, "masked_scores")
    assert torch.equal(masked, found.scores.where(allowed, -torch.inf))
    assert (found.weights[~allowed] == 0).all()


def test_a_query_that_may_look_at_nothing_gets_zeros():
    closed = torch.tensor([[False] * 4])
    found = explain(double([QUERY]), double(KEYS), mask=closed, gradients=True)
    assert found.weights.tolist() == [[0.0] * 4]
    assert found.context.tolist() == [[0.0] * 3]
    assert found["gradient_query"].tensor.tolist() == [[0.0] * 3]


def test_in_proportion_a_closed_key_counts_as_zero():
    keys = double([[0.0], [0.5], [0.75]])
    mask = torch.tensor([[True, False, True]])
    found = explain(
        double([[0.0]]), keys, score="epanechnikov", normalise="proportional", mask=mask
    )
    assert numbers(found, "masked_scores").tolist() == [[1.0, 0.0, 0.25]]
    assert found.weights.tolist() == [[0.8, 0.0, 0.2]]


def test_weights_of_a_gaussian_survive_where_the_kernel_underflows():
    keys = double([[0.0], [1.0]])
    found = explain(double([[60.0]]), keys, score="gaussian", normalise="proportional")
    assert found.scores.tolist() == [[0.0, 0.0]]
    assert_close(numbers(found, "log_scores"), double([[-1800.0, -1740.5]]))
    small = math.exp(-59.5)
    assert_close(found.weights, double([[small / (1 + small), 1 / (1 + small)]]))


def test_values_of_another_width_are_pooled():
    found, _ = explained("dot", "softmax", "none")
    weights, value = reference_weights("dot", "softmax", "none"), value_list()
    first = [[w * x for x in v] for w, v in zip(weights[0][0][0], value[0][0], strict=True)]
    assert_close(numbers(found, "weighted_values")[0, 0, 0], double(first))
