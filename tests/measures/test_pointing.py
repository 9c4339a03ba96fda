"""The pointing game."""

import pytest
import torch

from regard.errors import ShapeError
from regard.measures import peak, points_at


def test_the_peak_is_the_middle_of_the_largest_place():
    heat = torch.zeros(2, 5)
    heat[1, 3] = 0.4
    assert peak(heat) == (0.7, 0.75)


def test_of_equal_places_the_first_counts():
    assert peak(torch.ones(2, 4)) == (0.125, 0.25)


def test_a_hit_lies_in_any_of_the_boxes():
    heat = torch.tensor([[0.0, 0.9, 0.1], [0.2, 0.3, 0.0]])  # (0.5, 0.25)
    assert points_at(heat, [(0.4, 0.2, 0.6, 0.3)])
    assert points_at(heat, [(0.8, 0.8, 1.0, 1.0), (0.0, 0.0, 1.0, 0.5)])
    assert not points_at(heat, [(0.55, 0.2, 0.6, 0.3)])
    assert points_at(heat, [(0.55, 0.2, 0.6, 0.3)], tolerance=0.06)
    assert not points_at(heat, [])


@pytest.mark.usefixtures("without_shape_checks")
def test_what_is_no_grid_is_refused():
    with pytest.raises(ShapeError, match=r"needs a grid \(Y, X\), got \(4,\)"):
        peak(torch.ones(4))
