"""The anchor-free detector: its maps, its peaks, and attention as one field."""

import pytest
import torch
from pydantic import ValidationError
from torch.testing import assert_close

from regard.errors import ShapeError
from regard.lens.capture import attention_modules
from regard.models import build
from regard.models.vision import CentreMaps, Detector, DetectorConfig, PyramidConfig
from regard.models.vision.detector import boxes_of

TINY = PyramidConfig(stem=5, channels=(7, 8, 10), blocks=(1, 1, 1))


def tiny(**changes):
    fields = {"classes": 3, "height": 48, "width": 64, "pyramid": TINY, "dim": 12}
    return Detector(DetectorConfig(**{**fields, **changes}))


def test_every_place_says_heat_and_distances():
    found = tiny().train()(torch.randint(0, 256, (2, 3, 48, 64), dtype=torch.uint8))
    assert found.heat.shape == (2, 3, 6, 8)
    assert found.distances.shape == (2, 4, 6, 8)
    assert found.stride == 8
    assert bool((found.distances > 0).all())
    assert found.heat.sigmoid().max().item() < 0.05  # nothing is believed before it is learned


@pytest.mark.parametrize("size", [(41, 67), (17, 16)])
def test_pictures_of_any_size_will_do(size):
    found = tiny().eval()(torch.zeros(1, 3, *size, dtype=torch.uint8))
    assert found.heat.shape[2:] == (-(-size[0] // 8), -(-size[1] // 8))


def test_boxes_reach_from_the_middle_of_their_place():
    distances = torch.zeros(1, 4, 2, 3)
    distances[0, :, 1, 2] = torch.tensor([1.0, 2.0, 3.0, 4.0])
    boxes = boxes_of(CentreMaps(torch.zeros(1, 1, 2, 3), distances, 8))
    assert boxes[0, :, 1, 2].tolist() == [20 - 1, 12 - 2, 20 + 3, 12 + 4]


def test_candidates_are_peaks_and_the_surest_comes_first():
    heat = torch.full((1, 2, 4, 5), -9.0)
    heat[0, 1, 1, 1], heat[0, 1, 1, 2], heat[0, 0, 3, 4] = 2.0, 1.5, 3.0
    distances = torch.full((1, 4, 4, 5), 2.0)
    found = tiny().candidates(CentreMaps(heat, distances, 8), most=3)
    assert found.labels[0, :2].tolist() == [0, 1]
    assert_close(found.scores[0, :2], torch.tensor([3.0, 2.0]).sigmoid())
    assert found.boxes[0, :2].tolist() == [[34, 26, 38, 30], [10, 10, 14, 14]]
    assert float(found.scores[0, 2]) < 0.01  # 1.5 is no peak: its neighbour is higher


def test_attention_is_one_field_and_is_captured():
    with_it, without = tiny(), tiny(attention=None)
    names = attention_modules(with_it)
    assert "merge.attention" in names
    assert not any(name.startswith("pyramid.stages.0") for name in names)  # it is not merged
    assert not attention_modules(without)
    assert build("detector-plain-small", classes=2, height=64, width=64).config.attention is None


def test_a_batch_of_one_is_a_row_of_a_batch():
    model = tiny().eval()
    pixels = torch.randint(0, 256, (3, 3, 48, 64), dtype=torch.uint8)
    whole, one = model(pixels), model(pixels[1:2])
    assert_close(whole.heat[1:2], one.heat, atol=1e-5, rtol=1e-4)
    assert_close(whole.distances[1:2], one.distances, atol=1e-4, rtol=1e-4)


def test_pixels_of_another_form_are_refused(without_shape_checks):
    with pytest.raises(ShapeError, match=r"needs pictures \(B, 3, Y, X\), got \(2, 1, 8, 8\)"):
        tiny()(torch.zeros(2, 1, 8, 8, dtype=torch.uint8))
    with pytest.raises(ShapeError, match="every stage needs channels and blocks, got 2 and 1"):
        tiny(pyramid=PyramidConfig(channels=(3, 5), blocks=(1,)))


@pytest.mark.parametrize("first", [-1, 3, 10**30])
def test_the_finest_stage_is_one_of_the_stages(first):
    with pytest.raises(ValidationError, match="first needs to be one of 3 stages"):
        DetectorConfig(classes=2, height=8, width=8, first=first)
