"""A picture and what was seen in it, as a value."""

import json

import numpy as np
import pytest
import torch
from PIL import Image

from regard.errors import RangeError, ShapeError
from regard.lens.pictures import Box, Panel, PictureView


def test_pictures_of_pillow_numpy_and_torch_are_the_same(pixels):
    tensor = torch.from_numpy(pixels).permute(2, 0, 1)
    for picture in (pixels, Image.fromarray(pixels), tensor):
        assert np.array_equal(PictureView(picture, [Panel()]).pixels, pixels)


@pytest.mark.parametrize(
    "picture", [np.zeros((3, 2), np.uint8), torch.zeros(3, 2, 2), np.zeros((0, 2, 3), np.uint8)]
)
def test_other_pixels_are_refused(picture):
    with pytest.raises(ShapeError, match="a view needs a picture of Pillow or whole numbers"):
        PictureView(picture, [Panel()])


def test_a_view_needs_a_panel_and_a_size(pixels):
    with pytest.raises(ShapeError, match="at least one panel"):
        PictureView(pixels, [])
    with pytest.raises(ShapeError, match=r"1 or more, got \(0, 2\)"):
        PictureView(pixels, [Panel()], size=(0, 2))


def test_true_proportions_are_those_of_the_size(pixels):
    assert PictureView(pixels, [Panel()]).proportions == (20, 10)
    assert PictureView(pixels, [Panel()], size=(30, 70)).proportions == (30, 70)


@pytest.mark.parametrize(
    ("made", "error", "told"),
    [
        ({"heat": torch.ones(3)}, ShapeError, r"heat of a panel needs to be a grid \(h, w\)"),
        ({"bars": torch.ones(2, 2)}, ShapeError, "bars of a panel needs to be a row"),
        ({"heat": -torch.ones(2, 2)}, RangeError, "heat of a panel must be 0 or more"),
        ({"heat": torch.full((2, 2), torch.nan)}, RangeError, "got a number that is not"),
        ({"mask": torch.ones(0, 2)}, ShapeError, "mask of a panel"),
        ({"path": [(0.1, float("inf"))]}, RangeError, "places of a panel must be numbers"),
        ({"bars": torch.ones(2), "heat": torch.ones(2, 2)}, ShapeError, "got both"),
    ],
)
def test_a_panel_that_cannot_be_drawn_is_refused(made, error, told):
    with pytest.raises(error, match=told):
        Panel(**made)


def test_everything_but_pixels_is_json(view):
    found = json.loads(json.dumps(view.to_json()))
    assert (found["width"], found["height"]) == (20, 10)
    heat, boxes, path, mask, bars = found["panels"]
    assert heat == {"title": "<heat>", "heat": [[0, 0, 0], [0, 0, 1]]}
    assert boxes["boxes"][0]["label"] == "cat"
    assert path["path"] == [[0.1, 0.1], [0.9, 0.8]]
    assert mask["mask"] == [[True, False]]
    assert bars["bars"][1] == 0.5


def test_a_box_tells_its_label_and_its_score():
    assert Box(0.0, 0.0, 1.0, 1.0, "cat", 0.756).text == "cat 76 %"
    assert Box(0.0, 0.0, 1.0, 1.0).text == ""
