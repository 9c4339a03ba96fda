"""Each score against its equation written as loops, in value and gradient."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from functional.cases.call import corner, inputs, reference_scores
from functional.cases.scores import SCORES
from functional.cases.sizes import BATCH, HEADS, KEYS, QUERIES, QUERY_DIM
from reference import scores as ref_scores
from regard import scores
from regard.errors import ChoiceError

every_score = pytest.mark.parametrize("case", SCORES, ids=str)


@every_score
def test_a_score_equals_its_equation(case):
    query, key, _, parameters = inputs(case)
    found = case.make(**parameters)(query, key)
    expected = torch.tensor(reference_scores(case.name), dtype=torch.float64)
    assert_close(found.expand_as(expected), expected, rtol=1e-12, atol=1e-12)


@every_score
def test_a_score_has_the_gradient_that_finite_differences_have(case):
    query, key, _, parameters = inputs(case)
    query, key = (x.detach()[0, :, :3].requires_grad_() for x in (query, key))
    parameters = {
        name: corner(name, x.detach(), 3, 3).requires_grad_() for name, x in parameters.items()
    }
    names = tuple(parameters)

    def scores_of(query, key, *tensors):
        return case.make(**dict(zip(names, tensors, strict=True)))(query, key)

    if scores_of(query, key, *parameters.values()).requires_grad:
        assert gradcheck(scores_of, (query, key, *parameters.values()), fast_mode=True)
    else:
        assert case.name in ("boxcar", "alibi"), "only these two have no gradient anywhere"


@every_score
def test_leading_axes_of_query_and_key_broadcast(case):
    if "gaussian_around" in case.name:
        pytest.skip("its centres bring leading axes of their own")
    query, key, _, parameters = inputs(case)
    score = case.make(**parameters)
    few_keys = score(query, key[:1])  # (1, H, K, D)
    for b in range(BATCH):
        alone = score(query[b], key[0])
        assert_close(few_keys.expand(BATCH, -1, -1, -1)[b], alone.expand(HEADS, -1, -1))


@every_score
def test_a_score_keeps_the_dtype_of_its_query(case):
    query, key, _, parameters = inputs(case)
    score = case.make(**parameters)
    assert score(query.float(), key.float()).dtype == torch.float32


@every_score
def test_a_score_prints_as_one_line_that_names_it(case):
    shown = repr(case.make(**case.tensors(torch.float32)))
    assert "\n" not in shown
    assert len(shown) < 200
    for word in case.name.split("+"):
        stem = word.split("_")[0].lower()
        assert stem.removesuffix("dot") in shown.lower()


@pytest.mark.parametrize("num_heads", [1, 2, 3, 4, 6, 8, 12, 16, 20])
def test_alibi_slopes_are_those_of_the_authors_to_the_last_digit(num_heads):
    query = torch.zeros(num_heads, 1, 2, dtype=torch.float64)
    key = torch.zeros(num_heads, 2, 2, dtype=torch.float64)
    found = -scores.Alibi(num_heads)(query, key)[:, 0, 1]
    expected = torch.tensor(ref_scores.alibi_slopes(num_heads), dtype=torch.float64)
    assert_close(found, expected, rtol=1e-12, atol=0.0)


def test_eight_heads_have_the_slopes_printed_in_the_paper():
    printed = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    assert_close(scores.alibi_slopes(8).double(), torch.tensor(printed, dtype=torch.float64))


def test_the_cosine_with_a_zero_vector_is_zero_and_has_a_finite_gradient():
    query = torch.zeros(1, 3, dtype=torch.float64, requires_grad=True)
    key = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    found = scores.Cosine()(query, key)
    found.sum().backward()
    assert found.tolist() == [[0.0, 0.0]]
    assert query.grad.isfinite().all()
    assert key.grad.isfinite().all()


@pytest.mark.parametrize(
    "score", [scores.Euclidean(), scores.Gaussian(1.5), scores.Epanechnikov(2.0), scores.Boxcar()]
)
def test_a_key_equal_to_its_query_scores_highest_with_a_finite_gradient(score):
    query = torch.tensor([[1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    key = torch.tensor([[1.0, 2.0], [9.0, 2.0]], dtype=torch.float64, requires_grad=True)
    found = score(query, key)
    assert found[0, 0] > found[0, 1]
    if found.requires_grad:
        found.sum().backward()
        assert query.grad.isfinite().all()
        assert key.grad.isfinite().all()


def test_near_vectors_far_from_the_origin_keep_their_distance():
    query = torch.tensor([[1000.0, 2000.0]])
    key = torch.tensor([[1000.5, 2000.0], [1000.0, 2000.25]])
    assert scores.Euclidean()(query, key).tolist() == [[-0.25, -0.0625]]


def test_a_key_exactly_one_width_away_is_inside_the_boxcar_and_at_the_foot_of_the_cone():
    query, key = torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0], [3.0, 4.001]])
    assert scores.Boxcar(width=5.0)(query, key).tolist() == [[1.0, 0.0]]
    assert scores.Epanechnikov(width=5.0)(query, key).tolist() == [[0.0, 0.0]]


def test_a_euclidean_width_is_the_unit_of_distance():
    query, key = torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]])
    assert scores.Euclidean(width=10.0)(query, key).item() == pytest.approx(-0.25)


def test_sums_of_scores_are_flat_and_in_any_order():
    query = torch.randn(HEADS, QUERIES, QUERY_DIM, dtype=torch.float64)
    key = torch.randn(HEADS, KEYS, QUERY_DIM, dtype=torch.float64)
    table = torch.randn(5, dtype=torch.float64)
    parts = scores.ScaledDot(), scores.Relative(table), scores.Alibi(HEADS), scores.Cosine()
    separate = sum(part(query, key) for part in parts)
    assert_close((parts[0] + parts[1] + parts[2] + parts[3])(query, key), separate)
    assert_close(((parts[3] + parts[1]) + (parts[2] + parts[0]))(query, key), separate)


def test_a_score_is_had_by_name_and_a_misspelt_name_is_answered():
    assert isinstance(scores.resolve("scaled_dot"), scores.ScaledDot)
    with pytest.raises(ChoiceError, match=r"unknown score 'scaled_dott'\. Did you mean"):
        scores.resolve("scaled_dott")


@pytest.mark.parametrize(
    "name",
    [
        *("additive", "concat", "gated_additive", "general", "location"),
        *("alibi", "relative", "relative_keys", "gaussian_around", "bias"),
    ],
)
def test_a_score_with_parameters_cannot_be_had_by_name(name):
    with pytest.raises(ChoiceError, match=f"the score '{name}' has parameters: pass scores"):
        scores.resolve(name)


@every_score
def test_a_score_cannot_be_changed(case):
    score = case.make(**case.tensors(torch.float32))
    for name in vars(score):
        with pytest.raises(AttributeError):
            setattr(score, name, None)
