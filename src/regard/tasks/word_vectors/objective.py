"""What word vectors are trained for."""

from typing import Literal

import torch
from torch.nn.functional import embedding, logsigmoid

from regard.models import WordVectors
from regard.training.objective import Loss, Objective
from regard.types import Float, Tensor

from .corpus import Batch

Method = Literal["skip-gram", "cbow"]


class WordVectorsObjective(Objective[Batch]):
    r"""Skip-gram, or a bag of words, with negative sampling.

    .. math:: -\log \sigma(u_c \cdot v_w) - k \, \mathbb E_{n \sim P}\, \log \sigma(-u_n \cdot v_w)

    Mikolov et al. 2013, Eq. 4 (https://arxiv.org/abs/1310.4546). Skip-gram takes v of a word and u
    of one beside it; CBOW takes for v the mean of all beside a place, and u of the word there. The
    expectation is the mean over words drawn once for a batch (Ji et al. 2016,
    https://arxiv.org/abs/1604.04661): one matrix product instead of many small ones.

    Args:
        model: what is trained.
        negatives: k.
        method: which.
    """

    model: WordVectors

    def __init__(self, model: WordVectors, *, negatives: int, method: Method) -> None:
        super().__init__()
        self.model, self.negatives, self.method = model, negatives, method

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch, a sum over its pairs, or places."""
        vectors, wanted = self.pairs(batch)
        near = (vectors * embedding(wanted, self.model.contexts.weight)).sum(dim=-1)  # (P,)
        far = vectors @ embedding(batch.negatives, self.model.contexts.weight).T  # (P, S)
        total = -logsigmoid(near).sum() - self.negatives * logsigmoid(-far).mean(dim=1).sum()
        return Loss(total, {"nll": total.detach()})

    def pairs(self, batch: Batch) -> tuple[Float[Tensor, "P D"], Tensor]:
        """Vectors, and the word that each is to be near to."""
        if self.method == "skip-gram":
            return self.model(batch.words), batch.contexts
        places, where, size = batch.places.unique(return_inverse=True, return_counts=True)
        sums = self.model.words.weight.new_zeros(len(places), self.model.config.dim)
        sums = sums.index_add(0, where, self.model(batch.contexts))
        words = batch.words.new_zeros(len(places)).scatter(0, where, batch.words)
        return sums / size.unsqueeze(-1), words

    def empty_batch(self) -> Batch:
        """No pair."""
        none = torch.zeros(0, dtype=torch.long)
        return Batch(none, none, none, torch.zeros(1, dtype=torch.long), none, 1)
