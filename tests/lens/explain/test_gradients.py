"""Gradients of an explanation, against the derivatives written out by hand."""

import math

import pytest
import torch
from torch.testing import assert_close

from regard import explain, scores

QUERY = [[0.3, -1.2], [0.8, 0.5], [-0.6, 1.1]]
KEYS = [[0.2, 0.9], [-0.7, 0.4], [1.3, -0.1], [0.6, 0.8]]
VALUES = [[1.0, 0.5, -2.0], [0.3, -1.0, 0.7], [2.0, 0.1, 0.4], [-0.9, 1.5, 0.2]]
COTANGENT = [[1.0, -0.5, 2.0], [0.3, 0.7, -1.1], [0.9, 0.2, 0.6]]


def double(values):
    return torch.tensor(values, dtype=torch.float64)


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def softmax(row):
    powers = [math.exp(x - max(row)) for x in row]
    return [power / math.fsum(powers) for power in powers]


def by_hand(cotangent, keys, values):
    """The chain rule for scaled dot product and softmax."""
    scale = 1 / math.sqrt(2)
    weights = [softmax([scale * dot(q, k) for k in keys]) for q in QUERY]
    by_weight = [[dot(g, v) for v in values] for g in cotangent]
    by_score = [
        [a * (b - dot(row, towards)) for a, b in zip(row, towards, strict=True)]
        for row, towards in zip(weights, by_weight, strict=True)
    ]
    return {
        "gradient_context": cotangent,
        "gradient_weights": by_weight,
        "gradient_scores": by_score,
        "gradient_query": [
            [scale * dot(row, axis) for axis in zip(*keys, strict=True)] for row in by_score
        ],
        "gradient_key": [
            [scale * dot(column, axis) for axis in zip(*QUERY, strict=True)]
            for column in zip(*by_score, strict=True)
        ],
        "gradient_value": [
            [dot(column, axis) for axis in zip(*cotangent, strict=True)]
            for column in zip(*weights, strict=True)
        ],
    }


@pytest.mark.parametrize("cotangent", [None, COTANGENT], ids=["of the sum", "of a product"])
def test_gradients_are_the_derivatives_written_out(cotangent):
    asked = True if cotangent is None else double(cotangent)
    found = explain(double(QUERY), double(KEYS), double(VALUES), gradients=asked)
    for name, expected in by_hand(cotangent or [[1.0] * 3] * 3, KEYS, VALUES).items():
        assert_close(found[name].tensor, double(expected), msg=lambda text, n=name: f"{n}: {text}")
        assert found[name].stage == "gradient"


def test_keys_that_are_values_get_the_gradient_of_both():
    found = explain(double(QUERY), double(KEYS), gradients=True)
    expected = by_hand([[1.0] * 2] * 3, KEYS, KEYS)
    both = double(expected["gradient_key"]) + double(expected["gradient_value"])
    assert_close(found["gradient_key"].tensor, both)
    assert_close(found["gradient_value"].tensor, double(expected["gradient_value"]))


def test_there_are_no_gradients_unless_asked_for():
    assert not any(step.stage == "gradient" for step in explain(double(QUERY), double(KEYS)))


@pytest.mark.parametrize("score", ["dot", "boxcar"])
def test_where_nothing_flows_the_gradients_are_zero(score):
    found = explain(
        double(QUERY), double(KEYS), double(VALUES), score=score, normalise="hard", gradients=True
    )
    assert (
        found["gradient_weights"].tensor.tolist()
        == [[pytest.approx(math.fsum(v)) for v in VALUES]] * 3
    )
    for name in ("gradient_scores", "gradient_query", "gradient_key"):
        assert not found[name].tensor.any()


def test_a_location_score_sends_nothing_to_the_keys():
    weight = torch.ones(4, 2, dtype=torch.float64)
    found = explain(
        double(QUERY), double(KEYS), double(VALUES), score=scores.Location(weight), gradients=True
    )
    assert not found["gradient_key"].tensor.any()


def test_a_gaussian_in_proportion_has_a_gradient_for_its_logarithm():
    keys, values = [[0.0], [1.0]], [[3.0], [5.0]]
    found = explain(
        double([[0.25]]),
        double(keys),
        double(values),
        score="gaussian",
        normalise="proportional",
        gradients=True,
    )
    first, second = softmax([-0.5 * 0.25**2, -0.5 * 0.75**2])
    assert_close(
        found["gradient_log_scores"].tensor, double([[-2 * first * second, 2 * first * second]])
    )
    assert "gradient_scores" not in found


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_lower_precision_is_explained_with_gradients_too(dtype):
    query, key, value = (torch.tensor(x, dtype=dtype) for x in (QUERY, KEYS, VALUES))
    found = explain(query, key, value, gradients=True)
    assert found.weights.dtype == found.context.dtype == dtype
    exact = double(by_hand([[1.0] * 3] * 3, KEYS, VALUES)["gradient_query"])
    assert_close(found["gradient_query"].tensor.double(), exact, rtol=0.02, atol=0.02)


def test_gradients_are_given_even_where_they_are_switched_off():
    with torch.no_grad():
        found = explain(double(QUERY), double(KEYS), gradients=True)
    assert found["gradient_query"].tensor.any()
