"""Boxes and pixels: intersection over union, and COCO's average precision, against loops."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import InputError, ShapeError
from regard.measures import (
    Detections,
    Objects,
    average_precision,
    box_area,
    box_iou,
    class_iou,
)

EDGES = st.integers(0, 6)
BOXES = st.tuples(EDGES, EDGES, EDGES, EDGES).map(
    lambda e: (min(e[0], e[2]), min(e[1], e[3]), max(e[0], e[2]), max(e[1], e[3]))
)


def boxes(rows):
    return torch.tensor(rows, dtype=torch.float64).reshape(-1, 4)


def cells(box):
    """The unit squares of a box with whole edges."""
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


def iou_by_counting(box, other):
    union = cells(box) | cells(other)
    return len(cells(box) & cells(other)) / len(union) if union else 0.0


@given(st.lists(BOXES, max_size=4), st.lists(BOXES, max_size=3))
def test_boxes_have_in_common_what_counting_squares_finds(some, others):
    found = box_iou(boxes(some), boxes(others))
    assert found.shape == (len(some), len(others))
    expected = [[iou_by_counting(one, other) for other in others] for one in some]
    torch.testing.assert_close(
        found, torch.tensor(expected, dtype=torch.float64).reshape(found.shape)
    )
    assert box_area(boxes(some)).tolist() == [len(cells(box)) for box in some]


def test_pixels_of_each_class_and_their_mean():
    gold = torch.tensor([[0, 0, 1], [1, 1, 2]])
    predicted = torch.tensor([[0, 1, 1], [1, 2, 2]])
    found = class_iou(predicted, gold, 4)
    torch.testing.assert_close(found[:3], torch.tensor([1 / 2, 2 / 4, 1 / 2]).double())
    assert found[3].isnan()
    assert float(found.nanmean()) == pytest.approx(0.5)


def test_pixels_that_do_not_count_are_left_out():
    gold, predicted = torch.tensor([0, 255, 1]), torch.tensor([0, 1, 1])
    assert class_iou(predicted, gold, 2, ignored=255).tolist() == [1.0, 1.0]


def test_pixels_need_classes_and_equal_shapes():
    with pytest.raises(InputError, match="from 0 to 1, got 0 to 2"):
        class_iou(torch.tensor([0, 2]), torch.tensor([0, 1]), 2)
    with pytest.raises(ShapeError, match=r"got \(2,\) and \(3,\)"):
        class_iou(torch.tensor([0, 1]), torch.tensor([0, 1, 1]), 2)


def detections(rows):
    """Rows of box, score and label."""
    return Detections(
        boxes([row[0] for row in rows]),
        torch.tensor([float(row[1]) for row in rows]),
        torch.tensor([row[2] for row in rows], dtype=torch.long),
    )


def objects(rows):
    return Objects(
        boxes([row[0] for row in rows]), torch.tensor([row[1] for row in rows], dtype=torch.long)
    )


HERE, THERE, NOWHERE = (0, 0, 10, 10), (20, 20, 30, 30), (50, 50, 60, 60)


def test_all_found_and_nothing_else_is_one():
    found = average_precision(
        [detections([(HERE, 0.9, 3), (THERE, 0.8, 3)])], [objects([(HERE, 3), (THERE, 3)])]
    )
    assert (found.mean, found.at(0.5), found.of(3)) == (1.0, 1.0, 1.0)


def test_a_mistake_in_front_lowers_the_precision_behind_it():
    found = average_precision(
        [detections([(HERE, 0.9, 0), (NOWHERE, 0.8, 0), (THERE, 0.7, 0)])],
        [objects([(HERE, 0), (THERE, 0)])],
    )
    # Recalls 0 to 0.5 have precision 1, the 50 above it 2/3.
    assert found.mean == pytest.approx((51 * 1 + 50 * 2 / 3) / 101)


def test_an_object_is_found_once_and_only_by_its_class():
    twice = average_precision(
        [detections([(HERE, 0.9, 0), (HERE, 0.8, 0)])], [objects([(HERE, 0), (THERE, 0)])]
    )
    assert twice.mean == pytest.approx(51 / 101)
    other = average_precision([detections([(HERE, 0.9, 1)])], [objects([(HERE, 0)])])
    assert other.table.keys() == {(0, threshold) for threshold in THRESHOLDS}
    assert other.mean == 0.0


THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


def test_the_threshold_decides_how_well_a_box_must_fit():
    loose = (0, 0, 10, 8)  # IoU 0.8
    found = average_precision([detections([(loose, 0.9, 0)])], [objects([(HERE, 0)])])
    assert found.at(0.75) == 1.0
    assert found.at(0.85) == 0.0
    assert found.mean == pytest.approx(0.7)


ROWS = st.lists(st.tuples(BOXES, st.integers(0, 9), st.integers(0, 1)), max_size=5)
THINGS = st.lists(st.tuples(BOXES, st.integers(0, 1)), max_size=3)


def reference(found, there, label, threshold):
    """Average precision by definition, one box and one recall after the other."""
    ranked = [
        (row[1], picture, row[0])
        for picture, rows in enumerate(found)
        for row in rows
        if row[2] == label
    ]
    ranked.sort(key=lambda entry: -entry[0])
    wanted = [[box for box, own in rows if own == label] for rows in there]
    total = sum(map(len, wanted))
    taken, points, hits = set(), [], 0
    for number, (_, picture, box) in enumerate(ranked, 1):
        best, best_iou = None, threshold
        for place, thing in enumerate(wanted[picture]):
            iou = iou_by_counting(box, thing)
            if (picture, place) not in taken and iou >= best_iou:
                best, best_iou = place, iou
        if best is not None:
            taken.add((picture, best))
            hits += 1
        points.append((hits, number))
    levels = 0.0
    for level in range(101):
        reached = [h / n for h, n in points if 100 * h >= level * total]
        levels += max(reached, default=0.0)
    return levels / 101


@settings(max_examples=60)
@given(st.lists(st.tuples(ROWS, THINGS), min_size=1, max_size=3))
def test_average_precision_equals_its_definition(pictures):
    found, there = [p[0] for p in pictures], [p[1] for p in pictures]
    ours = average_precision(
        [detections(rows) for rows in found],
        [objects(rows) for rows in there],
        thresholds=(0.25, 0.5),
    )
    labels = {label for rows in there for _, label in rows}
    assert ours.table.keys() == {(label, t) for label in labels for t in (0.25, 0.5)}
    for (label, threshold), value in ours.table.items():
        assert value == pytest.approx(reference(found, there, label, threshold))


def test_a_hundred_boxes_of_a_class_count_and_no_more():
    many = [(NOWHERE, 0.9, 0)] * 100 + [(HERE, 0.1, 0)]
    found = average_precision([detections(many)], [objects([(HERE, 0)])])
    assert found.mean == 0.0
    assert average_precision([detections(many[1:])], [objects([(HERE, 0)])]).mean > 0


def test_no_object_has_no_precision_and_pictures_must_match():
    assert math.isnan(average_precision([detections([])], [objects([])]).mean)
    with pytest.raises(ShapeError, match="got 1 predictions and 2 of gold"):
        average_precision([detections([])], [objects([])] * 2)
    broken = detections([(HERE, 0.5, 0)])._replace(scores=torch.zeros(2))
    with pytest.raises(ShapeError, match="needs a label"):
        average_precision([broken], [objects([])])
