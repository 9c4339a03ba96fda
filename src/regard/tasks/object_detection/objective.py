"""What training minimises, by what the model says it is trained by."""

from collections.abc import Callable
from typing import Any

from regard.data.regions import RegionAugmentation
from regard.registry import Registry
from regard.training.objective import Loss, Objective

from ..regions.batch import Batch, empty_batch
from .centres import centre_loss
from .matched import matched_loss

criteria: Registry[Callable[..., Loss]] = Registry("criterion")
"""By the name that a model has as its ``criterion``; those of users are added."""
criteria.add("centres", centre_loss)
criteria.add("matched", matched_loss)


class DetectionObjective(Objective[Batch]):
    """The criterion of a model on pictures that are changed a little.

    Args:
        model: a detector.
        augmentation: what happens to pictures in training.
    """

    def __init__(self, model: Any, augmentation: RegionAugmentation | None) -> None:
        super().__init__()
        self.model, self.augmentation = model, augmentation
        self.criterion = criteria[model.criterion]

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch, a sum over objects; its parts: ``nll`` of classes, ``box``."""
        there = batch.pictured
        if self.training and self.augmentation is not None:
            there = self.augmentation(there)
        return self.criterion(self.model(there.pixels), there, batch.counted)

    def empty_batch(self) -> Batch:
        """A picture that does not count."""
        config = self.model.config
        return empty_batch(config.height, config.width, masked=False)
