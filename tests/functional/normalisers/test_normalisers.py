"""Each normaliser against its definition, row by row; sparsemax and entmax have their own file."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from functional.cases.normalisers import NORMALISERS
from functional.cases.sizes import numbers
from reference import normalisers as ref_normalisers
from regard import normalisers
from regard.errors import ChoiceError, RangeError

every_normaliser = pytest.mark.parametrize("case", NORMALISERS, ids=str)

SCORES = numbers("scores to normalise", 2, 5, 7, scale=1.5)
ALLOWED = [
    [[(b + i * j) % 4 != 1 and not (i == 3 and b == 0) for j in range(7)] for i in range(5)]
    for b in range(2)
]
"""Row 3 of the first entry has no allowed key, row 1 of the second has few."""


def value_of(case):
    return normalisers.resolve(case.value)


def expected_weights(row_normaliser, scores, allowed):
    rows = [
        [row_normaliser(row, may) for row, may in zip(table, mays, strict=True)]
        for table, mays in zip(scores, allowed, strict=True)
    ]
    return torch.tensor(rows, dtype=torch.float64)


def scores_and_allowed(dtype=torch.float64):
    return torch.tensor(SCORES, dtype=dtype), torch.tensor(ALLOWED)


@every_normaliser
def test_a_normaliser_equals_its_definition_over_the_allowed_keys(case):
    scores, allowed = scores_and_allowed()
    found = value_of(case)(scores, allowed)
    assert_close(found, expected_weights(case.row, SCORES, ALLOWED), rtol=1e-9, atol=1e-12)


@every_normaliser
def test_without_a_mask_every_key_is_allowed(case):
    scores, allowed = scores_and_allowed()
    everything = torch.ones_like(allowed)
    found = value_of(case)(scores)
    expected = expected_weights(case.row, SCORES, everything.tolist())
    assert_close(found, expected, rtol=1e-9, atol=1e-12)
    assert_close(value_of(case)(scores, everything), expected, rtol=1e-9, atol=1e-12)


@every_normaliser
def test_masked_weights_are_exactly_zero_and_an_empty_row_is_all_zero(case):
    scores, allowed = scores_and_allowed(torch.float32)
    weights = value_of(case)(scores * 20, allowed)
    assert (weights[~allowed] == 0).all()
    assert not weights[0, 3].any()
    assert weights.isfinite().all()


@every_normaliser
def test_what_stands_at_a_masked_key_does_not_matter(case):
    scores, allowed = scores_and_allowed()
    expected = value_of(case)(scores, allowed)
    for garbage in (1e30, -1e30, torch.inf, -torch.inf, torch.nan):
        spoilt = scores.masked_fill(~allowed, garbage)
        assert_close(value_of(case)(spoilt, allowed), expected, rtol=0, atol=0)


@every_normaliser
@pytest.mark.parametrize("shape", [(2, 5, 1), (2, 1, 7), (1, 5, 7), (5, 7), (1, 1)])
def test_allowed_broadcasts_to_the_scores(case, shape):
    scores, _ = scores_and_allowed()
    allowed = torch.arange(torch.Size(shape).numel()).reshape(shape) % 3 != 1
    expected = value_of(case)(scores, allowed.expand_as(scores).contiguous())
    assert_close(value_of(case)(scores, allowed), expected)


@every_normaliser
def test_weights_have_the_gradient_that_finite_differences_have(case):
    scores, allowed = scores_and_allowed()
    scores = scores[:1].requires_grad_()
    if case.name == "hard":
        assert not value_of(case)(scores, allowed[:1]).requires_grad
        return
    assert gradcheck(lambda x: value_of(case)(x, allowed[:1]), (scores,))
    assert gradcheck(value_of(case), (scores,))


@every_normaliser
def test_the_gradient_of_masked_keys_and_of_empty_rows_is_exactly_zero(case):
    scores, allowed = scores_and_allowed()
    scores.requires_grad_()
    weights = value_of(case)(scores, allowed)
    if not weights.requires_grad:
        assert case.name == "hard"
        return
    (weights * torch.randn_like(weights)).sum().backward()
    assert (scores.grad[~allowed] == 0).all()
    assert not scores.grad[0, 3].any()


@every_normaliser
@pytest.mark.parametrize("offset", [0.0, 3e4, -3e4])
def test_large_scores_neither_overflow_nor_vanish(case, offset):
    if case.name == "proportional":
        pytest.skip("a ratio of scores has no scale to overflow")
    row = [1.0 + offset, 0.0 + offset, -2.0 + offset, 0.5 + offset]
    expected = torch.tensor([[case.row(row, [True] * 4)]], dtype=torch.float32)
    found = value_of(case)(torch.tensor([[row]]))
    assert_close(found, expected, rtol=1e-2 if offset else 1e-5, atol=1e-6)


@every_normaliser
@pytest.mark.parametrize("low", [-1e4, -1e30])
def test_a_masked_key_takes_nothing_from_keys_that_score_very_low(case, low):
    if not case.sums:
        pytest.skip("its rows do not sum to one")
    scores = torch.tensor([[low, 5.0, low, -torch.inf]])
    weights = value_of(case)(scores, torch.tensor([[True, False, True, False]]))
    expected = [[1.0, 0.0, 0.0, 0.0]] if case.name == "hard" else [[0.5, 0.0, 0.5, 0.0]]
    assert_close(weights, torch.tensor(expected))


@every_normaliser
def test_rows_of_no_key_and_maps_of_no_row_stay_empty(case):
    normalise = value_of(case)
    for shape in ((2, 5, 0), (2, 0, 7)):
        nothing = torch.zeros(shape)
        assert normalise(nothing).shape == shape
        assert normalise(nothing, torch.ones(shape, dtype=torch.bool)).shape == shape


@every_normaliser
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_normaliser_keeps_the_dtype(case, dtype):
    scores, allowed = scores_and_allowed(dtype)
    assert value_of(case)(scores, allowed).dtype == dtype


@every_normaliser
def test_a_single_allowed_key_gets_everything(case):
    if not case.sums:
        pytest.skip("its rows do not sum to one")
    scores, allowed = scores_and_allowed()
    alone = torch.zeros_like(allowed)
    alone[..., 4] = True
    assert_close(value_of(case)(scores, alone), alone.double(), rtol=1e-12, atol=0)


def test_hard_takes_the_first_of_equal_maxima():
    scores = torch.tensor([[2.0, 7.0, 7.0, 1.0], [7.0, 7.0, 7.0, 7.0]])
    assert normalisers.hard(scores).tolist() == [[0, 1, 0, 0], [1, 0, 0, 0]]
    allowed = torch.tensor([[True, False, True, True], [False, False, True, True]])
    assert normalisers.hard(scores, allowed).tolist() == [[0, 0, 1, 0], [0, 0, 1, 0]]


def test_hard_never_takes_a_masked_key_however_low_the_allowed_ones_are():
    lowest = torch.finfo(torch.float32).min
    scores = torch.tensor([[5.0, lowest, -torch.inf], [5.0, -torch.inf, -torch.inf]])
    allowed = torch.tensor([[False, True, True]]).expand(2, 3)
    weights = normalisers.hard(scores, allowed)
    assert (weights[~allowed] == 0).all()
    assert weights[0].tolist() == [0, 1, 0]


def test_top_k_keeps_all_keys_that_tie_at_the_threshold():
    scores = torch.tensor([[1.0, 3.0, 1.0, 0.0, 1.0]], dtype=torch.float64)
    weights = normalisers.TopK(2)(scores)
    expected = ref_normalisers.softmax(scores[0].tolist(), [True, True, True, False, True])
    assert_close(weights, torch.tensor([expected], dtype=torch.float64))


@pytest.mark.parametrize("k", [1, 3, 7, 9])
def test_top_k_keeps_k_keys_or_as_many_as_there_are(k):
    scores, allowed = scores_and_allowed()
    weights = normalisers.TopK(k)(scores, allowed)
    expected = expected_weights(ref_normalisers.top_k(k), SCORES, ALLOWED)
    assert_close(weights, expected)
    assert ((weights > 0).sum(-1) == allowed.sum(-1).clamp(max=k)).all()


def test_proportional_to_nothing_is_nothing_with_a_finite_gradient():
    scores = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 3.0]], requires_grad=True)
    weights = normalisers.proportional(scores)
    weights.square().sum().backward()
    assert weights.tolist() == [[0, 0, 0], [0.25, 0, 0.75]]
    assert scores.grad.isfinite().all()
    assert not scores.grad[0].any()


# --- sampling -------------------------------------------------------------------------------------


def drawn(seed, scores, allowed=None):
    return normalisers.Sample(torch.Generator().manual_seed(seed))(scores, allowed)


def test_a_sample_is_one_allowed_key_and_nothing_in_an_empty_row():
    scores, allowed = scores_and_allowed()
    weights = drawn(3, scores, allowed)
    assert set(weights.unique().tolist()) == {0.0, 1.0}
    assert_close(weights.sum(-1), allowed.any(-1).double())
    assert not weights[~allowed].any()


def test_samples_follow_the_softmax():
    row = [0.3, -1.0, 1.2, 0.0, 2.0]
    may = [True, True, True, False, True]
    count = 20_000
    scores = torch.tensor(row).expand(count // 100, 100, 5)
    frequency = drawn(5, scores, torch.tensor(may).expand_as(scores)).mean(dim=(0, 1))
    expected = ref_normalisers.softmax(row, may)
    for found, probability in zip(frequency.tolist(), expected, strict=True):
        # Five standard deviations of a binomial frequency.
        assert abs(found - probability) <= 5 * (probability * (1 - probability) / count) ** 0.5


def test_neighbouring_rows_and_batch_entries_are_drawn_independently():
    """Under independence two rows agree on one of two equal keys half the time."""
    weights = drawn(11, torch.zeros(150, 150, 2))[..., 0]
    for same in (
        weights[1:] == weights[:-1],
        weights[:, 1:] == weights[:, :-1],
        weights[1:, 1:] == weights[:-1, :-1],
        weights[1:, :-1] == weights[:-1, 1:],
    ):
        assert abs(same.double().mean().item() - 0.5) < 5 * 0.5 / same.numel() ** 0.5


def test_one_seed_draws_one_sample_and_the_next_call_another():
    scores = torch.zeros(4, 6, 50)
    generator = torch.Generator().manual_seed(8)
    sample = normalisers.Sample(generator)
    first, second = sample(scores), sample(scores)
    assert torch.equal(first, drawn(8, scores))
    assert not torch.equal(first, second)


def test_sampling_with_a_generator_leaves_the_global_one_alone():
    before = torch.get_rng_state()
    drawn(1, torch.zeros(2, 3, 5))
    assert torch.equal(before, torch.get_rng_state())


def test_sampling_without_a_generator_follows_the_global_seed():
    scores = torch.zeros(4, 6, 50)
    torch.manual_seed(4)
    first = normalisers.Sample()(scores)
    torch.manual_seed(4)
    assert torch.equal(first, normalisers.Sample()(scores))


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("softmax", "sparsemax", "entmax15", "relu", "sigmoid", "proportional"),
        *("mean", "mean_relu", "hard", "sample"),
    ],
)
def test_a_normaliser_is_had_by_the_name_it_carries(name):
    value = normalisers.resolve(name)
    assert value.name == name
    assert name in repr(value).lower()


def test_a_misspelt_normaliser_is_answered_with_the_nearest_name_and_all_names():
    with pytest.raises(
        ChoiceError,
        match=r"unknown normaliser 'sofmax'\. Did you mean 'softmax'\? Known: .*hard, .*softmax, ",
    ):
        normalisers.resolve("sofmax")


@pytest.mark.parametrize(("name", "instead"), [("entmax", "Entmax"), ("top_k", "TopK")])
def test_a_normaliser_with_a_parameter_cannot_be_had_by_name(name, instead):
    with pytest.raises(ChoiceError, match=rf"'{name}' has parameters: pass normalisers\.{instead}"):
        normalisers.resolve(name)


@pytest.mark.parametrize("k", [0, -3])
def test_top_k_needs_a_positive_k(k):
    with pytest.raises(RangeError, match=rf"top_k needs k of at least 1, got {k}"):
        normalisers.TopK(k)


@every_normaliser
def test_a_normaliser_cannot_be_changed(case):
    with pytest.raises(AttributeError):
        value_of(case).name = "another"
