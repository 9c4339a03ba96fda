"""What a model of hidden tokens is trained for."""

import torch

from regard.lens.maps import Tokens
from regard.lens.scene import NOTHING, Scene
from regard.models import Bert
from regard.training.cross_entropy import smoothed_cross_entropy
from regard.training.objective import EXAMINED, Loss, Objective

from ..scenes import lengths_of
from .batch import Batch, empty_batch


class FillMaskObjective(Objective[Batch]):
    r"""How surprising the hidden tokens are.

    .. math:: \mathcal L = -\sum_{t \in \text{hidden}} \log P_{t, x_t}(\tilde x)

    ETraining, algorithm 12 of Phuong and Hutter 2022 (https://arxiv.org/abs/2207.09238); Devlin et
    al. 2019 (https://arxiv.org/abs/1810.04805). A sum over hidden tokens; logits are computed for
    these alone.

    Args:
        model: what is trained.
    """

    model: Bert

    def __init__(self, model: Bert) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch; ``nll`` is the same in nats."""
        features = self.model.features_at(batch.places, batch.tokens, batch.lengths)
        losses = smoothed_cross_entropy(features, batch.targets, self.model.output)
        return Loss(losses.smoothed, {"nll": losses.nll})

    def scene(self, batch: Batch) -> Scene:
        """Some texts with their holes."""
        some = slice(EXAMINED)
        known = Tokens(batch.tokens[some], batch.lengths[some])
        wanted = torch.full_like(batch.tokens, NOTHING)
        wanted[batch.places] = batch.targets
        return Scene(
            {"input": known},
            lambda ids: self.model(ids["input"], lengths_of(ids["input"], known)),
            wanted[some],
        )

    def empty_batch(self) -> Batch:
        """A row without a token to guess."""
        return empty_batch()
