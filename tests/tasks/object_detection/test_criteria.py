"""What detectors learn from, against loops and Hugging Face's DETR."""

import pytest
import torch
from torch.testing import assert_close

from reference import regions as reference
from regard.data.regions import Pictured
from regard.measures.iou import generalised_iou
from regard.models.vision import Candidates, CentreMaps, Found, FoundSets
from regard.tasks.object_detection.centres import centre_loss, centre_targets, focal
from regard.tasks.object_detection.matched import centred, matched, matched_loss
from regard.tasks.object_detection.suppression import detections, kept, suppressed

BOXES = torch.tensor(
    [
        [[4.0, 6.0, 40.0, 30.0], [20.0, 10.0, 30.0, 22.0], [0.0, 0.0, 0.0, 0.0]],
        [[30.0, 2.0, 55.0, 39.0], [1.0, 1.0, 9.0, 9.0], [2.0, 20.0, 30.0, 38.0]],
    ]
)
LABELS = torch.tensor([[1, 0, -1], [2, 1, 1]])
SIZE = {"classes": 3, "size": (5, 7), "stride": 8}


def test_heat_is_the_largest_of_all_bells():
    found = centre_targets(BOXES, LABELS, **SIZE)
    for row in range(2):
        expected = reference.gaussian_heat(
            BOXES[row].tolist(), LABELS[row].tolist(), classes=3, height=5, width=7, stride=8
        )
        assert_close(found.heat[row], torch.tensor(expected))
    assert int((found.heat == 1).sum()) == 5  # every object has its centre


def test_a_place_belongs_to_the_smallest_object_and_an_object_counts_once():
    found = centre_targets(BOXES, LABELS, **SIZE)
    assert found.owner[0, 2, 3].item() == 1  # in the middle of the small one, inside the large
    totals = [
        found.weights[row][found.owner[row] == k].sum()
        for row, k in [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]
    ]
    assert_close(torch.stack(totals), torch.ones(5))
    assert not bool(found.weights[found.owner < 0].any())


def test_labels_beyond_those_learned_and_pictures_without_objects_have_no_heat():
    strange = centre_targets(BOXES, torch.full_like(LABELS, 3), **SIZE)
    assert not bool(strange.heat.any()) and bool((strange.owner == -1).all())
    none = centre_targets(BOXES[:, :0], LABELS[:, :0], **SIZE)
    assert not bool(none.heat.any()) and bool((none.owner == -1).all())


def test_focal_loss_equals_the_loops():
    logits = torch.randn(2, 3, 5, 7)
    heat = centre_targets(BOXES, LABELS, **SIZE).heat
    expected = [
        reference.focal_loss(*pair) for pair in zip(logits.tolist(), heat.tolist(), strict=True)
    ]
    assert_close(focal(logits, heat), torch.tensor(expected), rtol=1e-4, atol=1e-4)


def perfect():
    """Maps that say exactly what there is."""
    targets = centre_targets(BOXES, LABELS, **SIZE)
    heat = torch.logit(targets.heat.clamp(1e-6, 1 - 1e-6))
    picture = torch.arange(2).view(-1, 1, 1)
    wanted = BOXES[picture, targets.owner.clamp(min=0)].movedim(-1, 1)
    x = (torch.arange(7.0) + 0.5).view(1, 1, -1) * 8
    y = (torch.arange(5.0) + 0.5).view(1, -1, 1) * 8
    left, top, right, bottom = wanted.unbind(1)
    return CentreMaps(heat, torch.stack([x - left, y - top, right - x, bottom - y], dim=1), 8)


def test_maps_that_say_what_there_is_lose_nearly_nothing():
    there, everything = Pictured(torch.zeros(0), BOXES, LABELS), torch.ones(2)
    found = perfect()
    loss = centre_loss(found, there, everything)
    assert float(loss.parts["box"]) == pytest.approx(0, abs=1e-4)
    wrong = found._replace(distances=found.distances + 20)
    assert float(centre_loss(wrong, there, everything).parts["box"]) > 0.5
    half = centre_loss(wrong, there, torch.tensor([0.0, 1.0]))
    first = centre_loss(wrong, there, torch.tensor([1.0, 0.0]))
    assert_close(half.total + first.total, centre_loss(wrong, there, everything).total)


def queries(seed=0):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(2, 4, 4, generator=generator)
    middle = torch.rand(2, 4, 2, generator=generator) * 0.5 + 0.25
    size = torch.rand(2, 4, 2, generator=generator) * 0.3 + 0.1
    return Found(logits, torch.cat([middle - size / 2, middle + size / 2], dim=-1))


SHARES = BOXES / torch.tensor([56.0, 40.0, 56.0, 40.0])


def test_the_assignment_is_the_cheapest_of_all():
    found = queries()
    pairs = matched(found, SHARES, LABELS)
    assert sorted(zip(pairs.pictures.tolist(), pairs.objects.tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (1, 2),
    ]
    for picture, objects in ((0, [0, 1]), (1, [0, 1, 2])):
        boxes = SHARES[picture, objects]
        cost = (
            -found.logits[picture].softmax(-1)[:, LABELS[picture, objects]]
            + 5 * (centred(found.boxes[picture])[:, None] - centred(boxes)[None]).abs().sum(-1)
            - 2 * generalised_iou(found.boxes[picture], boxes)
        )
        mine = pairs.pictures == picture
        column = [objects.index(k) for k in pairs.objects[mine].tolist()]
        found_cost = cost[pairs.queries[mine], column].sum()
        assert float(found_cost) == pytest.approx(reference.cheapest(cost.tolist()), rel=1e-5)


def test_matching_and_boxes_are_those_of_hugging_face():
    loss = pytest.importorskip("transformers.loss.loss_for_object_detection")
    found = queries()
    matcher = loss.HungarianMatcher(class_cost=1, bbox_cost=5, giou_cost=2)
    targets = []
    for row in range(2):
        kept = LABELS[row] >= 0
        targets.append({"class_labels": LABELS[row][kept], "boxes": centred(SHARES[row][kept])})
    outputs = {"logits": found.logits, "pred_boxes": centred(found.boxes)}
    theirs = matcher(outputs, targets)
    pairs = matched(found, SHARES, LABELS)
    for row, (own_queries, own_objects) in enumerate(theirs):
        mine = pairs.pictures == row
        ours = dict(zip(pairs.objects[mine].tolist(), pairs.queries[mine].tolist(), strict=True))
        assert ours == dict(zip(own_objects.tolist(), own_queries.tolist(), strict=True))
    criterion = loss.ImageLoss(matcher, num_classes=3, eos_coef=0.1, losses=["boxes"])
    expected = criterion(outputs, targets)
    total = matched_loss(
        FoundSets((found,), 40, 56), Pictured(torch.zeros(0), BOXES, LABELS), torch.ones(2)
    )
    boxes = 5 * expected["loss_bbox"] + 2 * expected["loss_giou"]
    assert_close(total.parts["box"], 5 * boxes)  # theirs are means over five objects


def test_queries_that_find_what_there_is_lose_nearly_nothing():
    logits = torch.full((2, 4, 4), -20.0)
    boxes = torch.rand(2, 4, 4)
    boxes[..., 2:] += boxes[..., :2] + 0.1
    for row in range(2):
        for k, label in enumerate(LABELS[row].tolist()):
            if label >= 0:
                logits[row, 3 - k, label], boxes[row, 3 - k] = 20.0, SHARES[row, k]
    nothing = logits.amax(dim=-1) < 0
    logits[..., 3] = torch.where(nothing, 20.0, -20.0)
    found = FoundSets((Found(logits, boxes),) * 2, 40, 56)
    loss = matched_loss(found, Pictured(torch.zeros(0), BOXES, LABELS), torch.ones(2))
    assert float(loss.total) == pytest.approx(0, abs=1e-4)
    none = matched_loss(found, Pictured(torch.zeros(0), BOXES, LABELS), torch.zeros(2))
    assert float(none.total) == 0


def test_of_boxes_around_one_object_the_surest_is_kept():
    boxes = torch.tensor([[0, 0, 10, 10], [1, 0, 11, 10], [0, 0, 10, 10], [20, 20, 30, 30.0]])
    scores, labels = torch.tensor([0.5, 0.9, 0.4, 0.1]), torch.tensor([0, 0, 1, 0])
    assert suppressed(boxes, scores, labels, 0.6).tolist() == [False, True, True, True]
    assert suppressed(boxes, scores, labels, 0.9).all()
    assert suppressed(boxes[:0], scores[:0], labels[:0], 0.5).tolist() == []


def test_a_suppressed_box_suppresses_nothing():
    boxes = torch.tensor([[0, 0, 10, 10], [3, 0, 13, 10], [6, 0, 16, 10.0]])
    scores, labels = torch.tensor([0.9, 0.8, 0.7]), torch.zeros(3, dtype=torch.long)
    assert suppressed(boxes, scores, labels, 0.4).tolist() == [True, False, True]
    candidates = Candidates(boxes[None], scores[None], labels[None])
    rows = kept(candidates, confidence=0.75, overlap=0.4)
    (found,) = detections(candidates, rows)
    assert found.scores.tolist() == [pytest.approx(0.9)]
