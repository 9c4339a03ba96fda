"""What a reader of passages minimises: how surprising both ends of an answer are."""

from typing import Any

import torch

from regard.models.reading import Ends
from regard.training.objective import Loss, Objective
from regard.types import Float, Int, Tensor

from .batch import NO_PLACE, Batch, empty_batch


class SpansObjective(Objective[Batch]):
    r"""The negative log-likelihood of an answer that somebody gave.

    .. math:: \mathcal L = -\log \sum_{(b, e)} p^b_b \, p^e_e

    A sum over questions: divide by :attr:`Batch.num_targets`. Where people gave several answers any
    of them will do. Smoothed, a share of the probability of both ends is spread over all words.

    Args:
        model: a reader of passages.
        smoothing: that share.
    """

    def __init__(self, model: Any, *, smoothing: float = 0.0) -> None:
        super().__init__()
        self.model, self.smoothing = model, smoothing

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch; its parts: ``nll`` in nats, ``correct`` spans."""
        ends: Ends = self.model(batch.read)
        begin, end = (one.log_softmax(dim=-1) for one in ends)
        nll = -span_log_probs(begin, end, batch.begins, batch.ends)
        known = batch.begins[:, 0] != NO_PLACE
        total = nll = nll.where(known, 0).sum()
        if self.smoothing:
            spread = _spread(begin, batch.read.lengths) + _spread(end, batch.read.lengths)
            total = (1 - self.smoothing) * nll + self.smoothing * spread.where(known, 0).sum()
        hit = (begin.argmax(dim=-1) == batch.begins[:, 0]) & (
            end.argmax(dim=-1) == batch.ends[:, 0]
        )
        parts = {"nll": nll.detach(), "correct": hit.sum().to(nll.dtype)}
        return Loss(total, parts)

    def empty_batch(self) -> Batch:
        """A question without an answer."""
        return empty_batch(spelled=self.model.config.embedding.spelling is not None)


def span_log_probs(
    begin: Float[Tensor, "B N"],
    end: Float[Tensor, "B N"],
    begins: Int[Tensor, "B A"],
    ends: Int[Tensor, "B A"],
) -> Float[Tensor, " B"]:
    """The log-probability of any of some spans; of no span it has no meaning.

    Args:
        begin: log-probabilities of first words.
        end: of last words.
        begins: first words, and then -1.
        ends: last words.
    """
    known = begins != NO_PLACE
    both = begin.gather(1, begins.clamp(min=0)) + end.gather(1, ends.clamp(min=0))
    known[:, 0] = True  # a row of nothing but -inf has no gradient
    return both.masked_fill(~known, -torch.inf).logsumexp(dim=-1)


def _spread(log_probs: Float[Tensor, "B N"], lengths: Int[Tensor, " B"]) -> Float[Tensor, " B"]:
    """The cross entropy of all words alike."""
    return -log_probs.masked_fill(log_probs.isinf(), 0).sum(dim=-1) / lengths
