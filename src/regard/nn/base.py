"""What every attention module is: parameters around :mod:`regard.functional`, open to a look."""

import torch
from torch import nn

from regard.functional import normalisers
from regard.functional.attend import attend
from regard.functional.events import Attended, Observable, StoredWeights
from regard.functional.masks import Mask
from regard.functional.normalisers import Normaliser
from regard.functional.scores import ScoreLike
from regard.functional.weigh import weigh
from regard.types import Float, Tensor


class AttentionModule(Observable):
    """A module that attends.

    It holds parameters and computes no weights of its own: :meth:`attend` and :meth:`weigh` are
    those of :mod:`regard.functional`, and tell whoever watches what was looked at
    (:func:`regard.lens.capture`).
    """

    def attend(
        self,
        query: Float[Tensor, "*#B Q Dq"],
        key: Float[Tensor, "*#B K Dk"],
        value: Float[Tensor, "*#B K E"],
        *,
        score: ScoreLike = "scaled_dot",
        mask: Mask | Tensor | str | None = None,
        normalise: Normaliser | str = "softmax",
        dropout: float = 0.0,
    ) -> Float[Tensor, "*B Q E"]:
        """:func:`regard.attend`, fused where it can be; drops weights only in training."""
        if self.watchers:
            normalise = normalisers.resolve(normalise).bound()  # what is told is what is drawn
            self.notify(Attended(query, key, score, mask, normalise))
        drop = dropout if self.training else 0.0
        return attend(query, key, value, score=score, mask=mask, normalise=normalise, dropout=drop)

    def weigh(
        self,
        query: Float[Tensor, "*#B Q Dq"],
        key: Float[Tensor, "*#B K Dk"],
        *,
        score: ScoreLike = "scaled_dot",
        mask: Mask | Tensor | str | None = None,
        normalise: Normaliser | str = "softmax",
    ) -> Float[Tensor, "*B Q K"]:
        """:func:`regard.weigh`."""
        weights = weigh(query, key, score=score, mask=mask, normalise=normalise)
        if self.watchers:
            self.notify(StoredWeights(weights.detach()))
        return weights


def uniform(*sizes: int, fan_in: int) -> nn.Parameter:
    r"""A parameter drawn from :math:`U(-1/\sqrt n, 1/\sqrt n)`, n = ``fan_in``, as in torch."""
    bound = max(1, fan_in) ** -0.5
    return nn.Parameter(torch.empty(sizes).uniform_(-bound, bound))
