"""What training minimises: surprise at the class of every pixel, and what the masks lack."""

from typing import Any

from torch.nn.functional import cross_entropy, one_hot

from regard.data.regions import RegionAugmentation
from regard.data.regions.augmentation import IGNORED
from regard.training.objective import Loss, Objective
from regard.types import Float, Tensor, UInt8

from ..regions.batch import Batch, empty_batch

SMOOTH = 1.0
"""Pixels that are added to both sides of a Dice score: a class that is nowhere is right."""


def dice_loss(
    logits: Float[Tensor, "B C Y X"], masks: UInt8[Tensor, "B Y X"]
) -> Float[Tensor, " B"]:
    r"""What soft masks lack of the true ones, the mean over classes; for every picture.

    .. math:: 1 - \frac{1}{C} \sum_c \frac{2 \sum_p \hat p_{cp} y_{cp} + 1}
        {\sum_p \hat p_{cp} + \sum_p y_{cp} + 1}

    Milletari et al. 2016 (https://arxiv.org/abs/1606.04797), with plain sums.

    Args:
        logits: of the classes.
        masks: the class of every pixel; ``IGNORED`` where none counts.
    """
    counts = masks != IGNORED
    wanted = one_hot(masks.masked_fill(~counts, 0).long(), logits.shape[1]).movedim(-1, 1)
    wanted = wanted * counts.unsqueeze(1)  # (B, C, Y, X)
    shares = logits.softmax(dim=1) * counts.unsqueeze(1)
    common = (shares * wanted).flatten(2).sum(dim=-1)  # (B, C)
    total = shares.flatten(2).sum(dim=-1) + wanted.flatten(2).sum(dim=-1)
    return 1 - ((2 * common + SMOOTH) / (total + SMOOTH)).mean(dim=1)


class SegmentationObjective(Objective[Batch]):
    r"""Cross entropy, the mean over the pixels of a picture, and the Dice loss; sums over pictures.

    Args:
        model: a segmenter.
        augmentation: what happens to pictures in training.
    """

    def __init__(self, model: Any, augmentation: RegionAugmentation | None) -> None:
        super().__init__()
        self.model, self.augmentation = model, augmentation

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch; its parts: ``nll`` in nats of a pixel, ``dice``."""
        there = batch.pictured
        if self.training and self.augmentation is not None:
            there = self.augmentation(there)
        assert there.masks is not None
        logits = self.model(there.pixels)
        pixels = cross_entropy(
            logits, there.masks.long(), ignore_index=IGNORED, reduction="none"
        )  # (B, Y, X)
        counted = (there.masks != IGNORED).flatten(1).sum(dim=1).clamp(min=1)
        nll = (pixels.flatten(1).sum(dim=1) / counted * batch.counted).sum()
        dice = (dice_loss(logits, there.masks) * batch.counted).sum()
        return Loss(nll + dice, {"nll": nll.detach(), "dice": dice.detach()})

    def empty_batch(self) -> Batch:
        """A picture that does not count."""
        config = self.model.config
        return empty_batch(config.height, config.width, masked=True)
