"""Examples with known numbers: computed by hand, from the equation, or printed in the source."""

import math

import pytest
import torch
from torch.testing import assert_close

from reference import attention, normalisers
from reference import scores as ref_scores
from regard import attend, scores, weigh

# W1: one query against four keys that are their own values.
QUERY = [[10.0, 5.0, 10.0]]
KEYS = [[0.0, 1.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 5.0, 1.0]]

# W2: three vectors through one matrix.
VECTORS = [[1.0, 2.0, 3.0, 4.0], [3.0, 2.0, 1.0, 3.0], [0.0, 1.0, 1.0, 4.0]]
MATRIX = [[2.0, 2.0, 0.0, 1.0], [4.0, 2.0, 3.0, 1.0], [0.0, 2.0, 4.0, 1.0], [1.0, 4.0, 2.0, 1.0]]

# W4: two embeddings.
DOG = [0.3645, 0.9507, 0.7320, 0.5987]
CAT = [0.2949, 0.7559, 0.6172, 0.4943]

PATHS = pytest.mark.parametrize("path", ["auto", "reference", "lower", "stream"])


def double(values):
    return torch.tensor(values, dtype=torch.float64)


def test_the_dot_scores_of_the_first_example():
    assert scores.Dot()(double(QUERY), double(KEYS)).tolist() == [[15.0, 60.0, 15.0, 35.0]]


def test_the_weights_of_the_first_example_to_ten_decimals_and_beyond():
    weights = weigh(double(QUERY), double(KEYS), score="dot")
    unnormalised = [math.exp(-45), 1.0, math.exp(-45), math.exp(-25)]
    expected = double([[x / sum(unnormalised) for x in unnormalised]])
    assert_close(weights, expected, rtol=1e-12, atol=0.0)
    assert [round(w, 10) for w in weights[0].tolist()] == [0.0, 1.0, 0.0, 0.0]


@PATHS
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_context_of_the_first_example_is_its_second_key(dtype, path):
    query, keys = torch.tensor(QUERY, dtype=dtype), torch.tensor(KEYS, dtype=dtype)
    context = attend(query, keys, keys, score="dot", path=path)
    assert_close(context, torch.tensor([[5.0, 0.0, 1.0]], dtype=dtype), rtol=0, atol=1e-9)


def test_the_projections_of_the_second_example_are_real_matrix_products():
    assert ref_scores.apply(MATRIX, VECTORS[0]) == [10.0, 21.0, 20.0, 19.0]
    assert ref_scores.apply(MATRIX, VECTORS[1]) == [13.0, 22.0, 11.0, 16.0]
    assert ref_scores.apply(MATRIX, VECTORS[2]) == [6.0, 9.0, 10.0, 10.0]


def test_the_scaled_scores_of_the_second_example():
    projected = double(VECTORS) @ double(MATRIX).T
    found = scores.ScaledDot()(projected, projected)
    # q1 . k1 = 1302, q1 . k2 = 1116, q1 . k3 = 639, each over the root of 4.
    assert found[0].tolist() == [651.0, 558.0, 319.5]


def test_the_second_example_projected_by_the_score_itself():
    """q = W x1 and k = W x2 make q . k = x1 (W^T W) x2, so a bilinear score does it."""
    vectors, matrix = double(VECTORS), double(MATRIX)
    found = scores.General(matrix.T @ matrix / 2)(vectors, vectors)
    assert_close(found[0], double([651.0, 558.0, 319.5]))


@PATHS
def test_the_context_of_the_second_example(path):
    vectors = double(VECTORS)
    projected = vectors @ double(MATRIX).T
    found = attend(projected, projected, vectors, path=path)
    first = normalisers.softmax([651.0, 558.0, 319.5], [True] * 3)
    assert_close(found[:1], double(attention.pool([first], VECTORS, 4)), rtol=1e-12, atol=1e-12)


def test_the_correlation_of_the_fourth_example_is_the_cosine_of_centred_vectors():
    dog, cat = double([DOG]), double([CAT])
    centred = (x - x.mean() for x in (dog, cat))
    found = scores.Cosine()(*centred).item()
    assert found == pytest.approx(attention.pearson(DOG, CAT), abs=1e-12)
    assert round(found, 4) == 0.9968


def test_the_dot_product_of_the_fifth_example():
    assert scores.Dot()(double([[1.0, 3.0, 2.0]]), double([[4.0, 1.0, 1.0]])).item() == 9.0


@PATHS
def test_a_kernel_in_proportion_is_nadaraya_watson_regression(path):
    """Three points on a line, seen from the second: distances 1, 0, 2."""
    x, xs, ys = double([[1.0]]), double([[0.0], [1.0], [3.0]]), double([[2.0], [4.0], [8.0]])
    near, here, far = math.exp(-0.5), 1.0, math.exp(-2.0)
    expected = (2 * near + 4 * here + 8 * far) / (near + here + far)
    found = attend(x, xs, ys, score="gaussian", normalise="proportional", path=path)
    assert found.item() == pytest.approx(expected, abs=1e-12)


def test_other_kernels_weigh_by_hand():
    x, xs, ys = double([[1.0]]), double([[0.0], [1.0], [3.0]]), double([[2.0], [4.0], [8.0]])
    boxcar = attend(x, xs, ys, score="boxcar", normalise="proportional")
    assert boxcar.item() == pytest.approx((2 + 4) / 2)
    cone = scores.Epanechnikov(width=4.0)
    found = attend(x, xs, ys, score=cone, normalise="proportional")
    assert found.item() == pytest.approx((2 * 0.75 + 4 * 1.0 + 8 * 0.5) / (0.75 + 1.0 + 0.5))


@PATHS
def test_keys_of_one_norm_turn_distances_into_dot_products(path):
    angles = [0.3, 1.1, 2.5, 4.0]
    keys = double([[math.cos(a), math.sin(a)] for a in angles]) * 3.0
    query, value = double([[0.4, -1.2], [2.0, 0.1]]), double([[1.0], [2.0], [3.0], [4.0]])
    by_distance = attend(query, keys, value, score="euclidean", path=path)
    by_product = attend(2 * query, keys, value, score="dot", path=path)
    assert_close(by_distance, by_product, rtol=1e-12, atol=1e-12)


@PATHS
def test_attention_without_parameters_is_softmax_of_x_x_transposed_times_x(path):
    x = [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]
    table = ref_scores.table(ref_scores.dot, x, x)
    rows = [normalisers.softmax(row, [True] * 3) for row in table]
    found = attend(double(x), double(x), double(x), score="dot", path=path)
    assert_close(found, double(attention.pool(rows, x, 2)), rtol=1e-12, atol=1e-12)
