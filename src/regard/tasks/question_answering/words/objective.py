"""What a reader of stories minimises: how surprising answers are, and looks that go astray."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from regard.training.objective import Loss, Objective
from regard.types import Float, Int, Tensor

from .batch import NO_SENTENCE, UNKNOWN, Batch, empty_batch

LEAST_WEIGHT = 1e-6
"""Below it a weight counts as this one."""


class WordsObjective(Objective[Batch]):
    r"""Cross entropy of the answers, and perhaps how far hops are from the sentences to look at.

    .. math:: \mathcal L = -\log p(a) + \lambda \mathcal L_{guided}

    Sums over questions: divide by :attr:`Batch.num_targets`. A linear start pools with scores
    instead of weights in the first updates (Sukhbaatar et al. 2015, section 4.2,
    https://arxiv.org/abs/1503.08895); differs from the paper: it ends after a number of updates.

    Args:
        model: a reader of stories.
        guided: λ.
        linear_start: updates in which it is linear.
    """

    made: Tensor
    """Updates made so far."""

    def __init__(self, model: Any, *, guided: float = 0.0, linear_start: int = 0) -> None:
        super().__init__()
        self.model, self.guided, self.linear_start = model, guided, linear_start
        self.register_buffer("made", torch.zeros((), dtype=torch.long))

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch; its parts: ``nll`` in nats, ``guided``, ``correct`` answers."""
        self.model.linear = int(self.made) < self.linear_start
        logits, looks = self.model(batch.stories)
        nll = cross_entropy(logits, batch.answers, ignore_index=UNKNOWN, reduction="sum")
        total, guided = nll, nll.new_zeros(())
        if self.guided and not self.model.linear:
            guided = guided_hops_loss(looks, batch.supports)
            total = total + self.guided * guided
        correct = (logits.detach().argmax(dim=-1) == batch.answers).sum().to(nll.dtype)
        parts = {"nll": nll.detach(), "guided": guided.detach(), "correct": correct}
        return Loss(total, parts)

    def after_step(self, means: Mapping[str, float]) -> None:
        """Count."""
        self.made += 1

    def empty_batch(self) -> Batch:
        """A row without an answer."""
        return empty_batch()


def guided_hops_loss(
    looks: Float[Tensor, "B H N"], supports: Int[Tensor, "B S"]
) -> Float[Tensor, ""]:
    r"""How far hops are from the sentences that hold the answer, summed over questions.

    .. math:: \mathcal L = -\frac{1}{H} \sum_h \log \sum_{i \in S_h} p^h_i

    S_h is the h-th sentence of the reasoning; of the last hop it is all that are left, and of a hop
    with none left all of them. After the memory networks of Weston et al. 2015, section 3.1
    (https://arxiv.org/abs/1410.3916), which are told the sentences too; a sum of weights leaves the
    reader the choice among several. Questions whose sentences are not known count nothing.

    Args:
        looks: the weights of every hop.
        supports: the sentences of each question, in order, and then -1.
    """
    batch, hops, width = looks.shape
    count = supports.ne(NO_SENTENCE).sum(dim=1)  # (B,)
    order = torch.arange(supports.shape[1], device=looks.device)  # (S,)
    hop = torch.arange(hops, device=looks.device).unsqueeze(-1)  # (H, 1)
    own = (order == hop) | ((hop == hops - 1) & (order >= hop))  # (H, S)
    none_left = count.unsqueeze(-1) <= hop.T  # (B, H)
    told = own | none_left.unsqueeze(-1)  # (B, H, S)
    told = told & supports.ne(NO_SENTENCE).unsqueeze(1)
    marks = looks.new_zeros(batch, hops, width + 1)
    places = supports.clamp(min=NO_SENTENCE) + 1  # 0 is nowhere
    marks.scatter_reduce_(2, places.unsqueeze(1).expand(-1, hops, -1), told.to(looks.dtype), "amax")
    mass = (looks * marks[..., 1:]).sum(dim=-1)  # (B, H)
    surprise = -mass.clamp(min=LEAST_WEIGHT).log().mean(dim=-1)
    return surprise.where(count > 0, 0).sum()
