"""What training minimises: how surprising the labels of changed pictures are."""

from typing import Any

import torch
from torch.nn.functional import cross_entropy

from regard.data.images import Augmentation
from regard.training.objective import Loss, Objective

from .batch import Batch, empty_batch
from .codec import UNKNOWN_LABEL
from .criteria import criteria


class PictureObjective(Objective[Batch]):
    r"""Cross entropy of the labels, smoothed if asked for, of pictures that are changed a little.

    .. math:: \mathcal L = -\sum_n \sum_k q_{nk} \log p_{nk}(a(x_n)), \quad
              q_{nk} = (1 - \epsilon) [k = y_n] + \epsilon / K

    Szegedy et al. 2016, section 7 (https://arxiv.org/abs/1512.00567). What is drawn for a, comes
    from torch's generator, which is seeded for every step. A sum over pictures: divide by
    :attr:`Batch.num_targets`.

    Args:
        model: a classifier of pictures.
        smoothing: epsilon.
        augmentation: a, what happens to pictures in training.
    """

    def __init__(self, model: Any, *, smoothing: float, augmentation: Augmentation) -> None:
        super().__init__()
        self.model, self.smoothing, self.augmentation = model, smoothing, augmentation
        self.criterion = criteria[getattr(model, "criterion", "labels")]

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch; its parts: ``nll`` in nats, ``correct`` labels."""
        pixels = self.augmentation(batch.pixels) if self.training else batch.pixels
        logits, total, parts = self.criterion(
            self.model, pixels, batch.targets, self.smoothing
        )  # (B, V)
        with torch.no_grad():
            exact = not (self.smoothing or parts)
            nll = total if exact else _nll(logits.detach(), batch.targets)
            correct = (logits.argmax(dim=-1) == batch.targets).sum().to(nll.dtype)
        return Loss(total, {"nll": nll.detach(), "correct": correct, **parts})

    def empty_batch(self) -> Batch:
        """Pictures without a label."""
        encoder = getattr(self.model.config, "encoder", self.model.config)
        return empty_batch(encoder.height, encoder.width)


def _nll(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return cross_entropy(logits, targets, ignore_index=UNKNOWN_LABEL, reduction="sum")
