"""Pictures in frames, and what is moved with them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from torch.testing import assert_close

from regard.data.regions import Pictured, RegionAugmentation, letterbox
from regard.data.regions.augmentation import IGNORED, NO_OBJECT, moved
from regard.errors import RangeError

SIDES = st.integers(1, 50)


@given(SIDES, SIDES, SIDES, SIDES)
def test_boxes_come_back_where_they_were(width, height, frame_width, frame_height):
    box = letterbox((width, height), (frame_width, frame_height))
    shares = torch.tensor([[0.1, 0.2, 0.7, 1.0], [0.0, 0.0, 1.0, 1.0]])
    framed = box.framed_boxes(shares)
    assert_close(box.shares(framed), shares)
    assert bool((framed >= 0).all())
    assert float(framed[:, [0, 2]].max()) <= frame_width
    assert float(framed[:, [1, 3]].max()) <= frame_height
    # One side is filled, and the picture lies in the middle.
    assert box.inner_width == frame_width or box.inner_height == frame_height
    assert abs(frame_width - box.inner_width - 2 * box.left) <= 1


def test_a_wide_picture_has_bars_above_and_below():
    picture = Image.new("RGB", (40, 10), (255, 0, 0))
    box = letterbox(picture.size, (20, 15))
    frame = box.framed(picture)
    assert frame.shape == (3, 15, 20)
    assert frame[0, 5:10].unique().tolist() == [255]
    assert frame[:, :5].unique().tolist() == [114]
    mask = box.framed_mask(torch.ones(10, 40, dtype=torch.uint8), IGNORED)
    assert mask[5:10].unique().tolist() == [1]
    assert mask[:5].unique().tolist() == [IGNORED]
    with pytest.raises(RangeError):
        letterbox((0, 5), (10, 10))


def test_maps_of_a_frame_come_back_over_the_picture():
    box = letterbox((40, 10), (20, 15))
    frame = torch.zeros(1, 15, 20)
    frame[:, 5:10, :10] = 1.0  # the left half of the picture
    found = box.unframed(frame)
    assert found.shape == (1, 10, 40)
    assert float(found[0, :, :19].min()) == 1.0
    assert float(found[0, :, 21:].max()) == 0.0
    assert box.unframed(torch.ones(2, 3, 4)).shape == (2, 10, 40)


def pictured(side=16):
    """A bright rectangle in each picture, with its box and its mask."""
    pixels = torch.zeros(2, 3, side, side, dtype=torch.uint8)
    boxes = torch.tensor([[[2, 3, 9, 8], [0, 0, 0, 0]], [[4, 4, 12, 10], [0, 0, 0, 0]]]).float()
    masks = torch.zeros(2, side, side, dtype=torch.uint8)
    for row in range(2):
        left, top, right, bottom = boxes[row, 0].int().tolist()
        pixels[row, :, top:bottom, left:right] = 255
        masks[row, top:bottom, left:right] = 1
    return Pictured(pixels, boxes, torch.tensor([[1, NO_OBJECT], [0, NO_OBJECT]]), masks)


def bounds(mask):
    rows, columns = mask.any(dim=1).nonzero(), mask.any(dim=0).nonzero()
    return [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]


@pytest.mark.parametrize(
    ("scale", "shift", "blurred"),
    [
        ((1, 1), (0, 0), 0),
        ((-1, 1), (0, 0), 0),
        ((1, -1), (0, 0), 0),
        ((1, 1), (0.25, -0.125), 0),
        ((0.5, 0.5), (0, 0), 6),  # edges between pixels: the nearest is one side or the other
        ((-1, -1), (0.125, 0.0), 0),
    ],
)
def test_boxes_and_masks_go_where_their_pixels_go(scale, shift, blurred):
    given_ = pictured()
    found = moved(given_, torch.tensor([scale] * 2).float(), torch.tensor([shift] * 2).float())
    for row in range(2):
        seen, inside = found.pixels[row, 0] > 127, found.masks[row] == 1
        assert int((seen & (found.masks[row] != IGNORED)).ne(inside).sum()) <= blurred
        assert_close(found.boxes[row, 0], torch.tensor(bounds(inside)).float(), atol=0.51, rtol=0)
    assert found.labels.tolist() == given_.labels.tolist()


def test_what_leaves_the_picture_is_no_object_and_what_comes_in_does_not_count():
    found = moved(pictured(), torch.ones(2, 2), torch.tensor([[-0.5, 0.0], [0.0, 0.0]]))
    assert found.labels.tolist() == [[NO_OBJECT, NO_OBJECT], [0, NO_OBJECT]]
    assert found.masks[0, :, 8:].unique().tolist() == [IGNORED]
    assert found.masks[0, :, :8].unique().tolist()[-1] <= 1


def test_the_same_seed_changes_pictures_the_same_way():
    change = RegionAugmentation(upside_down=0.5)

    def once(seed):
        torch.manual_seed(seed)
        return change(pictured())

    first, again, other = once(1), once(1), once(2)
    assert torch.equal(first.pixels, again.pixels)
    assert torch.equal(first.boxes, again.boxes)
    assert not torch.equal(first.boxes, other.boxes)
    assert first.pixels.dtype == torch.uint8


def test_nothing_asked_for_changes_nothing():
    still = RegionAugmentation(
        flip=0, smallest=1, largest=1, stretch=0, shift=0, brightness=0, contrast=0, saturation=0
    )
    before = pictured()
    after = still(before)
    assert torch.equal(after.pixels, before.pixels)
    assert_close(after.boxes, before.boxes)
    assert torch.equal(after.masks, before.masks)
