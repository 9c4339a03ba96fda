"""What lies over a picture lies where it should."""

import numpy as np
import torch

from regard.lens.pictures import Box, Panel, PictureView
from regard.lens.pictures.layers import HEAT, MASK, colours, drawn


def shown(pixels, size=(40, 20), **panel) -> np.ndarray:
    return drawn(PictureView(pixels, [Panel(**panel)]), Panel(**panel), size).astype(int)


def redness(found: np.ndarray) -> np.ndarray:
    return found[..., 0] - found[..., 2]


def test_heat_is_where_its_weight_is_and_upright(pixels):
    corner = torch.zeros(2, 4)
    corner[1, 0] = 0.003  # below on the left, however little
    found = redness(shown(pixels, heat=corner))
    assert found[17, 3] > 40
    assert abs(found[3, 3]) < 5
    assert abs(found[17, 30]) < 5


def test_no_heat_leaves_a_faded_picture_without_colour():
    colourful = np.zeros((4, 4, 3), dtype=np.uint8)
    colourful[..., 0] = 250
    found = shown(colourful, (4, 4), heat=torch.zeros(2, 2))
    assert 0 < redness(found).max() < 150


def test_equal_heat_covers_everything_alike(pixels):
    pixels[:] = 90
    found = shown(pixels, heat=torch.full((3, 5), 0.2))
    assert found.reshape(-1, 3).std(axis=0).max() == 0
    assert np.abs(found[0, 0] - HEAT[-1]).max() < 30


def test_a_mask_covers_its_places_with_sharp_edges(pixels):
    pixels[:] = 0
    found = shown(pixels, mask=torch.tensor([[True, False]]))
    assert np.abs(found[5, 19] - np.asarray(MASK) / 2).max() <= 1
    assert found[5, 20].max() == 0


def test_a_box_is_drawn_at_its_shares_of_the_picture(pixels):
    pixels[:] = 0
    found = shown(pixels, (101, 51), boxes=[Box(0.2, 0.4, 0.7, 0.8)])
    drawn_at = np.argwhere(found.any(axis=-1))
    assert drawn_at.min(axis=0).tolist() == [20, 20]
    assert drawn_at.max(axis=0).tolist() == [40, 70]
    assert not found[30, 40].any()


def test_a_path_goes_through_its_places(pixels):
    pixels[:] = 0
    found = shown(pixels, (101, 51), path=[(0.1, 0.5), (0.9, 0.5)])
    assert all(found[25, x].any() for x in (10, 50, 90))
    assert not found[10].any()


def test_boxes_of_one_label_have_one_colour():
    box = Box(0.0, 0.0, 1.0, 1.0)
    found = colours(Panel(boxes=[box._replace(label=name) for name in "abac"]))
    assert found[0] == found[2] != found[1] != found[3]


def test_bars_stand_on_the_ground_and_are_as_high_as_their_numbers(pixels):
    found = shown(pixels, (6, 10), bars=torch.tensor([0.5, 1.0, 0.0]))
    coloured = (np.abs(found - np.asarray(MASK)).max(axis=-1) == 0).sum(axis=0)
    assert coloured.tolist() == [5, 5, 10, 10, 0, 0]
    assert (found[-1, 0] == MASK).all()


def test_bars_larger_than_one_are_scaled_and_many_are_joined(pixels):
    found = shown(pixels, (2, 10), bars=torch.tensor([4.0, 4.0, 2.0, 2.0]))
    coloured = (np.abs(found - np.asarray(MASK)).max(axis=-1) == 0).sum(axis=0)
    assert coloured.tolist() == [10, 5]
