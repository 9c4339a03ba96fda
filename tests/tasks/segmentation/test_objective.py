"""The Dice loss against loops, and pixels that do not count."""

import torch
from torch.testing import assert_close

from reference import regions as reference
from regard.models.vision import UNet, UNetConfig
from regard.tasks.regions.batch import Batch
from regard.tasks.segmentation.objective import SegmentationObjective, dice_loss


def test_dice_equals_the_loops():
    logits = torch.randn(2, 3, 5, 7)
    masks = torch.randint(0, 3, (2, 5, 7), dtype=torch.uint8)
    masks[0, 1:3] = 255
    expected = [
        reference.dice_loss(shares.tolist(), mask.tolist())
        for shares, mask in zip(logits.softmax(1), masks, strict=True)
    ]
    assert_close(dice_loss(logits, masks), torch.tensor(expected))


def objective():
    torch.manual_seed(0)
    model = UNet(UNetConfig(classes=2, height=8, width=12, channels=(4, 5)))
    return SegmentationObjective(model, None).eval()


def batch(masks, indices):
    torch.manual_seed(1)
    pixels = torch.randint(0, 256, (len(masks), 3, 8, 12), dtype=torch.uint8)
    none = torch.full((len(masks), 0), -1)
    return Batch(pixels, torch.zeros(len(masks), 0, 4), none, masks, indices, len(masks))


def test_what_is_ignored_and_rows_of_nothing_change_nothing():
    masks = torch.randint(0, 2, (2, 8, 12), dtype=torch.uint8)
    masks[:, :3] = 255
    one = objective()(batch(masks, torch.tensor([4, -1])))
    other = masks.clone()
    other[1] = 1 - other[1].clamp(max=1)
    assert_close(objective()(batch(other, torch.tensor([4, -1]))).total, one.total)
    nothing = objective()(objective().empty_batch())
    assert nothing.total.item() == 0
    both = objective()(batch(masks, torch.tensor([4, 5])))
    assert both.total.item() > one.total.item()
