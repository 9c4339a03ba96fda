"""What answerers minimise: how surprising answers are."""

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from regard.models.vision import Answerer
from regard.training.objective import Loss, Objective
from regard.types import Float, Int, Tensor

from .codec import UNKNOWN_ANSWER
from .corpus import Batch, empty_batch
from .loss import AnswerLossConfig


class AnswerObjective(Objective[Batch]):
    r"""An answerer together with what it is trained for, as one module.

    .. math:: \mathcal L = -\sum_n \log \text{softmax}(o_n)_{y_n}, \quad \text{or} \quad
              -\sum_n \sum_i \bigl[ y_{ni} \log \sigma(o_{ni})
              + (1 - y_{ni}) \log(1 - \sigma(o_{ni})) \bigr]

    The second is that of Anderson et al. 2018, section 3.3 (https://arxiv.org/abs/1707.07998), with
    one answer that is right.

    Args:
        model: what is trained.
        config: which of them.
    """

    model: Answerer

    def __init__(self, model: Answerer, config: AnswerLossConfig) -> None:
        super().__init__()
        self.model, self.config = model, config

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch."""
        boxes = batch.boxes if self.model.config.regions == "boxes" else None
        logits = self.model(batch.pictures, batch.questions, batch.lengths, boxes, batch.owners)
        total = _total(logits, batch.answers, self.config)
        with torch.no_grad():
            nll = _softmax(logits, batch.answers, 0.0)
        return Loss(total, {"nll": nll})

    def empty_batch(self) -> Batch:
        """A question without an answer."""
        return empty_batch(self.model.config.grid.shape)


def _total(
    logits: Float[Tensor, "B O"], answers: Int[Tensor, " B"], config: AnswerLossConfig
) -> Float[Tensor, ""]:
    if config.scoring == "softmax":
        return _softmax(logits, answers, config.label_smoothing)
    known = answers != UNKNOWN_ANSWER
    wanted = torch.zeros_like(logits[known]).scatter_(1, answers[known].unsqueeze(1), 1)
    return binary_cross_entropy_with_logits(logits[known], wanted, reduction="sum")


def _softmax(
    logits: Float[Tensor, "B O"], answers: Int[Tensor, " B"], smoothing: float
) -> Float[Tensor, ""]:
    return cross_entropy(
        logits, answers, ignore_index=UNKNOWN_ANSWER, reduction="sum", label_smoothing=smoothing
    )
