"""Scenes: exact, endless, the same everywhere, and none in two splits."""

import math
from itertools import islice

import numpy as np
import pytest

from regard.data.scenes import COLOURS, DIGITS, SHAPES, SceneConfig, Scenes, scene, split_of
from regard.errors import ChoiceError, RangeError

SOME = list(islice(Scenes(5), 40))


def test_a_number_is_always_the_same_scene():
    for one in SOME[:5]:
        again = scene(5, one.index)
        assert again.objects == one.objects
        assert np.array_equal(again.pixels, one.pixels)
        assert again.caption == one.caption
        assert again.questions == one.questions


def test_other_seeds_and_numbers_are_other_scenes():
    seen = {scene(seed, index).objects for seed in (0, 1) for index in range(20)}
    assert len(seen) == 40


def test_no_two_splits_share_what_stands_where():
    told = {
        split: {
            tuple(sorted((o.kind, o.colour, o.size, o.row, o.column) for o in one.objects))
            for one in islice(Scenes(0, split=split), 150)
        }
        for split in ("train", "valid", "test")
    }
    assert not told["train"] & told["valid"]
    assert not told["train"] & told["test"]
    assert not told["valid"] & told["test"]
    assert all(split_of(one.objects) == "test" for one in islice(Scenes(3, split="test"), 5))


def test_pictures_have_the_size_that_is_asked_for():
    one = scene(0, 3, config=SceneConfig(size=48))
    assert one.picture.size == (48, 48)
    assert one.pixels.shape == (3, 48, 48)
    assert one.pixels.dtype == np.uint8
    assert np.array_equal(one.pixels[:, 7, 2], one.picture.getpixel((2, 7)))


def test_no_pixel_belongs_to_two_things_and_each_has_some():
    for one in SOME:
        assert one.masks.shape == (len(one.objects), 64, 64)
        assert one.masks.sum(axis=0).max() == 1
        assert one.masks.any(axis=(1, 2)).all()


def test_boxes_are_the_bounds_of_masks_by_a_plain_loop():
    for one in SOME[:15]:
        for mask, box in zip(one.masks.tolist(), one.boxes, strict=True):
            inside = [(x, y) for y in range(64) for x in range(64) if mask[y][x]]
            columns, rows = zip(*inside, strict=True)
            assert box == (min(columns), min(rows), max(columns) + 1, max(rows) + 1)


def test_circles_and_rings_cover_the_pixels_that_geometry_says():
    found = 0
    for one in islice(Scenes(1, config=SceneConfig(kinds=("circle", "ring"))), 12):
        for thing, mask in zip(one.objects, one.masks.tolist(), strict=True):
            for y in range(64):
                for x in range(64):
                    away = math.dist((x + 0.5, y + 0.5), (64 * thing.x, 64 * thing.y))
                    radius = 64 * thing.radius
                    edges = [radius] if thing.kind == "circle" else [radius, 0.58 * radius]
                    if min(abs(away - edge) for edge in edges) < 0.8:
                        continue  # the edge itself is a question of half a pixel
                    hole = thing.kind == "ring" and away < 0.58 * radius
                    assert mask[y][x] == (away < radius and not hole)
                    found += 1
    assert found > 10_000


def test_things_have_the_colour_that_they_are_said_to_have():
    for one in SOME:
        for thing, mask in zip(one.objects, one.masks, strict=True):
            seen = np.median(one.pixels[:, mask], axis=1)
            away = {name: math.dist(seen, colour) for name, colour in COLOURS.items()}
            assert min(away, key=away.__getitem__) == thing.colour


def test_small_things_are_smaller_than_large_ones():
    tall = {"small": [], "large": []}
    for one in SOME:
        for thing, box in zip(one.objects, one.boxes, strict=True):
            tall[thing.size].append(box[3] - box[1])
    assert max(tall["small"]) < min(tall["large"])


def test_digits_differ_from_each_other():
    seen = set()
    for digit in DIGITS:
        config = SceneConfig(kinds=(digit,), colours=("white",), most=1)
        seen.add(scene(0, 0, config=config).masks.tobytes())
    assert len(seen) == 10


def test_boxes_of_a_noun_are_those_of_its_things_in_either_number():
    config = SceneConfig(kinds=("cross",), fewest=3)
    one = scene(0, 1, config=config)
    assert one.boxes_of("crosses") == one.boxes_of("cross") == one.boxes
    assert one.boxes_of("cross", among=(2, 0)) == (one.boxes[2], one.boxes[0])
    assert one.boxes_of("circle") == ()


def test_edges_are_smooth_and_the_background_is_noisy():
    one = scene(0, 0, config=SceneConfig(kinds=("circle",), colours=("white",), most=1))
    values = np.unique(one.pixels[0])
    assert len(values) > 30


def test_shapes_and_digits_are_all_kinds():
    assert set(SHAPES).isdisjoint(DIGITS)
    seen = {thing.kind for one in islice(Scenes(2), 300) for thing in one.objects}
    assert seen == {*SHAPES, *DIGITS}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (SceneConfig(most=6), "between 1 and 5 things, got 1 to 6"),
        (SceneConfig(fewest=3, most=2), "between 1 and 5 things, got 3 to 2"),
        (SceneConfig(size=8), "at least 16 pixels, got 8"),
        (SceneConfig(kinds=("dog",)), "kinds of a scene need to be some of"),
        (SceneConfig(colours=()), "colours of a scene need to be some of"),
    ],
)
def test_settings_that_cannot_be_are_refused(config, message):
    with pytest.raises(RangeError, match=message):
        Scenes(config=config)


def test_unknown_splits_and_negative_numbers_are_refused():
    with pytest.raises(ChoiceError, match="got 'dev'"):
        Scenes(split="dev")
    with pytest.raises(RangeError, match="0 or more, got -1 and 0"):
        scene(-1, 0)
    with pytest.raises(IndexError, match="got index -2"):
        Scenes()[-2]
