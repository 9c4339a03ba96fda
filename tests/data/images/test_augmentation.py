"""Pictures changed a little: exactly what is said, and the same again from the same seed."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.images import Augmentation, AugmentationConfig
from regard.data.images.augmentation import cut_out, moved


def batch(count: int = 5, height: int = 7, width: int = 11) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    shape = (count, 3, height, width)
    return torch.randint(256, shape, dtype=torch.uint8, generator=generator)


def by_hand(picture: list, down: int, across: int, flipped: bool) -> list:
    """One channel, pixel by pixel."""
    height, width = len(picture), len(picture[0])

    def inside(place: int, length: int) -> int:
        place = abs(place)
        return 2 * (length - 1) - place if place >= length else place

    rows = []
    for y in range(height):
        row = [picture[inside(y - down, height)][inside(x - across, width)] for x in range(width)]
        rows.append(row[::-1] if flipped else row)
    return rows


@given(
    st.lists(
        st.tuples(st.integers(-6, 6), st.integers(-6, 6), st.booleans()), min_size=2, max_size=2
    )
)
def test_moved_equals_a_loop_over_pixels(moves):
    pictures = batch(2)
    down, across, flipped = (torch.tensor(column) for column in zip(*moves, strict=True))
    found = moved(pictures, down, across, flipped)
    for number, move in enumerate(moves):
        for channel in range(3):
            wanted = by_hand(pictures[number, channel].tolist(), *move)
            assert found[number, channel].tolist() == wanted


def test_moved_pictures_have_their_channels_last():
    assert Augmentation(AugmentationConfig(flip=True))(batch()).is_contiguous(
        memory_format=torch.channels_last
    )


def test_a_shift_and_a_flip_are_drawn_for_every_picture():
    torch.manual_seed(1)
    same = batch(1).expand(64, -1, -1, -1)
    found = Augmentation(AugmentationConfig(flip=True, shift=2))(same)
    assert len({str(one.tolist()) for one in found}) > 20


def test_the_same_seed_draws_the_same_and_another_draws_others():
    everything = Augmentation(
        AugmentationConfig(
            flip=True, shift=3, cutout=3, brightness=0.3, contrast=0.3, saturation=0.3
        )
    )
    first, again, other = (
        everything(batch(), torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert first.dtype == torch.uint8


def test_nothing_happens_by_default():
    assert torch.equal(Augmentation()(batch()), batch())


def test_a_hole_has_the_mean_colour_and_nothing_else_changes():
    pictures, holes = batch(2), torch.zeros(2, 7, 11, dtype=torch.bool)
    holes[1, 2:4, 3:6] = True
    found = cut_out(pictures, holes)
    mean = pictures.double().mean(dim=(0, 2, 3)).round().tolist()
    assert found[1, :, 2, 5].tolist() == mean
    assert torch.equal(found[0], pictures[0])
    assert torch.equal(found[1, :, ~holes[1]], pictures[1, :, ~holes[1]])


def test_holes_are_as_large_as_they_are_said_to_be_or_cut_at_the_edge():
    drawn = Augmentation(AugmentationConfig(cutout=3))._drawn_holes(
        batch(200), torch.Generator().manual_seed(0)
    )
    sizes = drawn.sum(dim=(1, 2))
    assert sizes.max() == 9
    assert sizes.min() >= 4


@pytest.mark.parametrize("kind", ["brightness", "contrast", "saturation"])
def test_colours_change_and_grey_stays_grey(kind):
    grey = torch.full((3, 3, 5, 5), 100, dtype=torch.uint8)
    change = Augmentation(AugmentationConfig(**{kind: 0.5}))
    assert not torch.equal(change(batch()), batch())
    found = change(grey)
    assert torch.equal(found[:, 0], found[:, 2])
    if kind != "brightness":
        assert torch.equal(found, grey)
    else:
        assert 50 <= int(found.min()) <= int(found.max()) <= 150


def test_a_picture_of_one_pixel_survives():
    one = torch.full((2, 3, 1, 1), 9, dtype=torch.uint8)
    assert torch.equal(Augmentation(AugmentationConfig(flip=True, shift=4))(one), one)
