"""The regressor with fit, predict and score: against loops."""

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import special_attention as reference
from regard import attend
from regard.errors import ChoiceError, DtypeError, InputError, RangeError, ShapeError
from regard.nn import NadarayaWatsonRegressor, nadaraya_watson

KERNELS = ["gaussian", "boxcar", "epanechnikov"]
every_kernel = pytest.mark.parametrize("kernel", KERNELS)


def data(count=23, features=2):
    generator = numpy.random.default_rng(4)
    points = generator.uniform(-2, 2, (count, features))
    return points, numpy.sin(points[:, 0]) + 0.1 * generator.normal(size=count)


@pytest.mark.parametrize("width", [0.05, 0.7, 3.0])
@every_kernel
def test_predictions_equal_loops_and_the_nearest_point_where_none_is_within_reach(kernel, width):
    points, values = data()
    places = numpy.random.default_rng(5).uniform(-3, 3, (11, 2))
    found = NadarayaWatsonRegressor(kernel, width=width).fit(points, values).predict(places)
    known = points.tolist(), [[v] for v in values.tolist()]
    expected = [
        reference.regression(kernel, width, x, *known) or reference.nearest(x, *known)
        for x in places.tolist()
    ]
    assert found.shape == (11,)
    numpy.testing.assert_allclose(found, [x[0] for x in expected], rtol=1e-9, atol=1e-12)


@every_kernel
def test_the_width_left_to_find_beats_every_width_of_a_grid_by_leave_one_out(kernel):
    points, values = data(17, 1)
    fitted = NadarayaWatsonRegressor(kernel).fit(points, values)
    known = points.tolist(), [[v] for v in values.tolist()]
    best = reference.left_out_error(kernel, fitted.width_, *known)
    grid = [0.02 * 1.35**i for i in range(20)]
    errors = [reference.left_out_error(kernel, width, *known) for width in grid]
    assert best <= min(errors) * (1.0 if kernel == "gaussian" else 1.05)
    assert best < max(errors) / 2


def left_out_errors(points, values, widths):
    """Squared error of all points, each predicted from all others by a Gaussian, in numpy."""
    gaps = ((points[:, None] - points[None]) ** 2).sum(-1)
    numpy.fill_diagonal(gaps, numpy.inf)
    errors = []
    for width in widths:
        exponents = -0.5 * gaps / width**2
        kernel = numpy.exp(exponents - exponents.max(axis=1, keepdims=True))
        found = kernel @ values / kernel.sum(axis=1)
        errors.append(((found - values) ** 2).sum())
    return numpy.array(errors)


def accelerations(count):
    """A blow and its echo, as in the crash of a motorcycle: still, then quick, then slow."""
    generator = numpy.random.default_rng(6)
    times = generator.uniform(0, 60, count)
    shape = -130 * numpy.exp(-(((times - 21) / 5) ** 2)) + 60 * numpy.exp(
        -(((times - 33) / 5) ** 2)
    )
    return times[:, None], shape + generator.normal(size=count) * (2 + 18 * (times > 14))


def test_some_points_find_a_width_as_good_as_all_do(monkeypatch):
    points, values = accelerations(400)
    found = {}
    for pairs in (400 * 400, 400 * 100):
        monkeypatch.setattr(nadaraya_watson, "PAIRS", pairs)
        found[pairs] = NadarayaWatsonRegressor().fit(points, values).width_
    widths = [*found.values(), *(0.1 * 1.1**i for i in range(50))]
    every, some, *grid = left_out_errors(points, values, widths)
    assert every <= min(grid)
    assert some <= 1.03 * every < max(grid) / 2


def test_many_points_take_bounded_work_and_leave_randomness_alone(monkeypatch):
    pairs = []

    def counting(query, key, *rest, **choices):
        pairs.append(len(query) * len(key))
        return attend(query, key, *rest, **choices)

    monkeypatch.setattr(nadaraya_watson, "attend", counting)
    assert nadaraya_watson.PAIRS == 2000**2
    monkeypatch.setattr(nadaraya_watson, "PAIRS", 200**2)
    points, values = data(350, 3)
    state = torch.get_rng_state()
    first, second = (NadarayaWatsonRegressor().fit(points, values).width_ for _ in range(2))
    assert first == second
    assert torch.equal(torch.get_rng_state(), state)
    assert max(pairs) <= 200**2
    assert len(pairs) <= 2 * 50


@given(st.integers(0, 2), st.floats(1e-3, 1e3), st.floats(-1e6, 1e6))
@settings(max_examples=40)
def test_no_prediction_is_ever_nan_or_outside_the_range_of_the_values(kernel, width, place):
    points, values = data(7, 1)
    found = NadarayaWatsonRegressor(KERNELS[kernel], width=width).fit(points, values)
    prediction = found.predict([[place]])[0]
    assert values.min() - 1e-9 <= prediction <= values.max() + 1e-9


def test_the_score_is_the_coefficient_of_determination():
    points, values = data()
    fitted = NadarayaWatsonRegressor(width=0.5).fit(points, values)
    wanted = reference.determination(values.tolist(), fitted.predict(points).tolist())
    assert fitted.score(points, values) == pytest.approx(wanted, rel=1e-12)
    both = numpy.stack([values, points[:, 1] ** 2], axis=1)
    fitted.fit(points, both)
    assert fitted.predict(points).shape == both.shape
    each = [
        reference.determination(w, f)
        for w, f in zip(both.T.tolist(), fitted.predict(points).T.tolist(), strict=True)
    ]
    assert fitted.score(points, both) == pytest.approx(sum(each) / 2, rel=1e-12)


def test_constant_values_are_met_exactly_and_score_one():
    points, _ = data()
    fitted = NadarayaWatsonRegressor("boxcar").fit(points, [3.0] * 23)
    assert fitted.score(points, [3.0] * 23) == 1.0
    assert fitted.score(points, [2.0] * 23) == 0.0


def test_points_in_one_place_are_averaged():
    fitted = NadarayaWatsonRegressor().fit([1.0, 1.0, 1.0], [2.0, 4.0, 9.0])
    assert fitted.width_ == 1.0
    assert fitted.predict([1.0, 5.0]).tolist() == pytest.approx([5.0, 5.0])


def test_one_point_is_everywhere_and_one_feature_needs_no_axis():
    fitted = NadarayaWatsonRegressor().fit([[2.0]], [7.0])
    assert fitted.predict([0.0, 1e9]).tolist() == [7.0, 7.0]


def test_the_arrays_passed_in_are_neither_changed_nor_kept():
    points, values = data()
    fitted = NadarayaWatsonRegressor(width=0.4).fit(points, values)
    before = fitted.predict(points)
    kept = points.copy(), values.copy()
    points += 1
    values *= 2
    numpy.testing.assert_array_equal(fitted.predict(kept[0]), before)


def test_parameters_are_had_and_set_as_scikit_learn_does():
    made = NadarayaWatsonRegressor("boxcar", width=0.4)
    assert made.get_params() == {"kernel": "boxcar", "width": 0.4}
    assert made.set_params(kernel="gaussian", width="leave_one_out") is made
    twin = NadarayaWatsonRegressor(**made.get_params())
    assert repr(twin) == "NadarayaWatsonRegressor(kernel='gaussian', width='leave_one_out')"
    with pytest.raises(ChoiceError, match=r"unknown parameter 'h'\. Known: kernel, width"):
        made.set_params(h=3)


def test_scikit_learn_can_copy_it():
    sklearn = pytest.importorskip("sklearn.base")
    made = NadarayaWatsonRegressor("boxcar", width=0.4)
    assert sklearn.clone(made).get_params() == made.get_params()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r.predict([1.0]), ChoiceError, "has seen no points; call fit first"),
        (lambda r: r.fit([1.0, 2.0], [1.0]), ShapeError, r"fit needs y of shape \(2,\)"),
        (lambda r: r.fit([], []), ShapeError, "at least one point"),
        (lambda r: r.fit([[[1.0]]], [1.0]), ShapeError, "X needs the shape"),
        (lambda r: r.fit([1.0, float("nan")], [1.0, 2.0]), InputError, "X needs finite numbers"),
        (lambda r: r.fit(["a"], [1.0]), DtypeError, "X needs an array of numbers, got list"),
        (lambda r: r.fit([1.0], [1.0]).predict([[1.0, 2.0]]), ShapeError, "points of 1 features"),
        (lambda r: r.fit([1.0], [1.0]).score([1.0], [1.0, 2.0]), ShapeError, "score needs y of"),
        (lambda r: r.set_params(width=-1.0).fit([1.0], [1.0]), RangeError, "a positive width"),
        (lambda r: r.set_params(width="best").fit([1.0], [1.0]), ChoiceError, "unknown width"),
        (lambda r: r.set_params(kernel="box").fit([1.0], [1.0]), ChoiceError, "unknown kernel"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call(NadarayaWatsonRegressor())
