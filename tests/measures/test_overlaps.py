"""Generalised IoU, precision of selections of pictures, pixels in common, and maps on targets."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference import regions as reference
from regard.errors import ShapeError
from regard.measures import (
    Detections,
    Objects,
    PixelOverlap,
    Resampling,
    average_precision,
    class_iou,
    generalised_iou,
    heat_iou,
    hits_target,
    overlap_counts,
    ranked_hits,
)
from regard.measures.iou import paired_generalised_iou
from regard.measures.looking import inside
from regard.measures.ranked_hits import difference

EDGES = st.integers(0, 6)
BOXES = st.tuples(EDGES, EDGES, EDGES, EDGES).map(
    lambda e: (min(e[0], e[2]), min(e[1], e[3]), max(e[0], e[2]), max(e[1], e[3]))
)


def boxes(rows):
    return torch.tensor(rows, dtype=torch.float64).reshape(-1, 4)


@given(st.lists(BOXES, min_size=1, max_size=3), st.lists(BOXES, min_size=1, max_size=2))
def test_generalised_iou_equals_its_definition(some, others):
    expected = [[reference.generalised_iou(a, b) for b in others] for a in some]
    found = generalised_iou(boxes(some), boxes(others))
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))


def test_generalised_iou_tells_how_far_apart_boxes_are():
    near, far = paired_generalised_iou(
        boxes([(0, 0, 2, 2), (0, 0, 2, 2)]), boxes([(3, 0, 5, 2), (8, 0, 10, 2)])
    ).tolist()
    assert near == pytest.approx(-1 / 5)  # a hull of 10, of which 2 are nobody's
    assert far == pytest.approx(-6 / 10)


def test_generalised_iou_has_a_gradient_where_boxes_do_not_touch():
    apart = boxes([(0.0, 0.0, 2.0, 2.0)]).requires_grad_()
    others = boxes([(5.0, 1.0, 7.0, 4.0)])
    assert torch.autograd.gradcheck(lambda b: generalised_iou(b, others), (apart,))
    (gradient,) = torch.autograd.grad(generalised_iou(apart, others).sum(), apart)
    assert float(gradient[0, 2]) > 0  # to the right is nearer


def pictures(count=7):
    generator = torch.Generator().manual_seed(3)

    def some(most):
        n = int(torch.randint(1, most, (1,), generator=generator))
        low = torch.rand(n, 2, generator=generator) * 8
        return torch.cat([low, low + 2 + torch.rand(n, 2, generator=generator) * 3], dim=1)

    there, found = [], []
    for _ in range(count):
        gold = some(4)
        guess = torch.cat([gold + torch.rand(len(gold), 4, generator=generator), some(3)])
        there.append(Objects(gold, torch.randint(2, (len(gold),), generator=generator)))
        scores = torch.rand(len(guess), generator=generator)
        labels = torch.randint(2, (len(guess),), generator=generator)
        found.append(Detections(guess, scores, labels))
    return found, there


def test_precision_of_pictures_that_come_twice_is_that_of_a_longer_list():
    found, there = pictures()
    ranked = ranked_hits(found, there)
    times = np.array([2, 0, 1, 1, 3, 0, 1])
    rows = [row for row, count in enumerate(times) for _ in range(count)]
    again = average_precision([found[r] for r in rows], [there[r] for r in rows], thresholds=(0.5,))
    assert ranked.value(times) == pytest.approx(100 * again.at(0.5))
    whole = average_precision(found, there, thresholds=(0.5,))
    assert ranked.score().value == pytest.approx(100 * whole.at(0.5))


def test_intervals_of_precision_hold_the_score_and_of_a_difference_to_itself_nothing():
    found, there = pictures()
    ranked, chance = ranked_hits(found, there), Resampling(samples=50)
    score = ranked.score(chance)
    assert score.interval.low <= score.value <= score.interval.high
    assert difference(ranked, ranked, chance)[:2] == (0.0, 0.0)


def test_pixels_in_common_are_those_of_the_classes():
    gold = torch.tensor([[0, 0, 1], [1, 1, 255]])
    predicted = torch.tensor([[0, 1, 1], [1, 2, 2]])
    row = overlap_counts(predicted, gold, 3, ignored=255)
    assert row.tolist() == [1, 2, 0, 1, 3, 1, 2, 3, 0]
    overlap = PixelOverlap(row[None])
    expected = 100 * class_iou(predicted, gold, 3, ignored=255)
    np.testing.assert_allclose(overlap.by_class(row), expected.numpy())
    dice = PixelOverlap(row[None], dice=True).by_class(row)
    np.testing.assert_allclose(dice, [100 * 2 / 3, 100 * 4 / 6, 0.0])


def test_pixels_of_pictures_are_summed_before_the_mean_is_taken():
    one = overlap_counts(torch.tensor([0, 0, 0, 1]), torch.tensor([0, 0, 0, 0]), 2)
    other = overlap_counts(torch.tensor([1]), torch.tensor([1]), 2)
    found = PixelOverlap(np.stack([one, other]))
    assert found.score().value == pytest.approx(100 * (3 / 4 + 1 / 2) / 2)
    with pytest.raises(ShapeError):
        overlap_counts(torch.zeros(2, dtype=torch.long), torch.zeros(3, dtype=torch.long), 2)


def test_a_map_hits_its_target_with_its_peak():
    heat = torch.tensor([[0.1, 0.9], [0.2, 0.3]])
    right = torch.tensor([[False, True], [False, False]])
    assert hits_target(heat, right)
    assert not hits_target(heat, ~right)


def test_what_a_map_covers_is_counted_from_its_least_weight():
    heat = torch.tensor([[0.5, 1.0], [0.8, 0.6]])
    target = torch.tensor([[False, True], [False, False]])
    assert heat_iou(heat, target) == pytest.approx(1 / 2)  # 1.0 and 0.8 are upper half
    assert heat_iou(heat, target, threshold=0.9) == 1.0
    with pytest.raises(ShapeError, match="size of its target"):
        heat_iou(heat, target[:1])


def test_pixels_inside_boxes_are_those_with_their_middle_in_one():
    found = inside(torch.tensor([[0.6, 0.0, 2.4, 1.0], [3.0, 1.0, 4.0, 2.0]]), 2, 5)
    expected = [[False, True, False, False, False], [False, False, False, True, False]]
    assert found.tolist() == expected
    assert not inside(torch.zeros(0, 4), 2, 3).any()
