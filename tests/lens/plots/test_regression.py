"""The numbers of the Nadaraya-Watson figure, against sums written out."""

import math

import pytest
import torch
from torch.testing import assert_close

from regard.functional.scores import Boxcar, Epanechnikov, Gaussian
from regard.lens.plots.nadaraya_watson import Points, Regression, truth


def double(values):
    return torch.tensor(values, dtype=torch.float64)


KERNELS = {
    "gaussian": (Gaussian, lambda u: math.exp(-u * u / 2)),
    "boxcar": (Boxcar, lambda u: float(u <= 1)),
    "epanechnikov": (Epanechnikov, lambda u: max(0.0, 1 - u)),
}


def test_the_points_are_those_of_the_standard_figure():
    points = Points.draw(seed=3)
    assert points.x.shape == points.y.shape == (100,)
    assert ((points.x >= 0) & (points.x <= 4)).all()
    assert (points.x.diff() >= 0).all()
    noise = [
        y - 2 * math.sin(x) - x for x, y in zip(points.x.tolist(), points.y.tolist(), strict=True)
    ]
    assert abs(math.fsum(noise) / 100) < 0.2
    assert 0.4 < math.sqrt(math.fsum(n * n for n in noise) / 100) < 0.6


def test_a_seed_decides_the_points():
    assert torch.equal(Points.draw(1).y, Points.draw(1).y)
    assert not torch.equal(Points.draw(1).y, Points.draw(2).y)


def test_the_truth_is_the_function_of_the_catalogue():
    assert truth(double([0.0, math.pi / 2, 2.0])).tolist() == pytest.approx(
        [0.0, 2 + math.pi / 2, 2 * math.sin(2) + 2]
    )


@pytest.mark.parametrize("width", [0.3, 1.0])
@pytest.mark.parametrize("name", KERNELS)
def test_curve_and_weights_equal_sums_written_out(name, width):
    make, profile = KERNELS[name]
    points = Points.draw(seed=0)
    fit = Regression.of(make(width), points)
    xs, ys = points.x.tolist(), points.y.tolist()
    for place in (0, 37, 120, 240):
        x = 4 * place / 240
        assert fit.x[place].item() == pytest.approx(x)
        kernel = [profile(abs(x - other) / width) for other in xs]
        weights = [k / math.fsum(kernel) for k in kernel]
        assert_close(fit.weights[place], double(weights), rtol=1e-9, atol=1e-12)
        expected = math.fsum(w * y for w, y in zip(weights, ys, strict=True))
        assert fit.y[place].item() == pytest.approx(expected)


def test_where_no_point_is_near_there_is_no_curve():
    fit = Regression.of(Boxcar(0.5), Points(double([1.0, 3.0]), double([5.0, 7.0])))
    drawn = {round(4 * i / 240, 3): y for i, y in enumerate(fit.y.tolist())}
    assert math.isnan(drawn[0.4])
    assert drawn[1.0] == drawn[1.4] == 5.0
    assert math.isnan(drawn[2.0])
    assert drawn[3.0] == 7.0


def test_the_error_is_the_distance_from_the_truth():
    x = torch.linspace(0, 4, 241, dtype=torch.float64)
    y = truth(x) + 0.25
    y[:40] = torch.nan
    fit = Regression(Gaussian(), x, y, torch.full((241, 8), 1 / 8, dtype=torch.float64))
    assert fit.error == pytest.approx(0.25)


def test_the_breadth_counts_the_points_that_are_averaged():
    x, y = torch.zeros(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    even = Regression(Gaussian(), x, y, double([[0.25] * 4, [0.25] * 4]))
    assert even.breadth == pytest.approx(4.0)
    single = Regression(Gaussian(), x, y, double([[1.0, 0.0], [0.5, 0.5]]))
    assert single.breadth == pytest.approx(1.5)
    gap = Regression(Gaussian(), x, double([0.0, math.nan]), double([[0.5, 0.5], [0.0, 0.0]]))
    assert gap.breadth == pytest.approx(2.0)
