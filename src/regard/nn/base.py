"""What every attention module is: parameters around :mod:`regard.functional`, open to a look."""

from collections.abc import Callable, Iterable
from typing import ClassVar

import torch
from torch import nn

from regard.errors import ChoiceError
from regard.functional import normalisers
from regard.functional.asked import Asked, edited
from regard.functional.attend import unheard
from regard.functional.events import Attended, Kind, Observable
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

    kind: ClassVar[Kind] = "self"
    """What attends to what."""

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
        kind: Kind | None = None,
    ) -> Float[Tensor, "*B Q E"]:
        """:func:`regard.attend`, fused where it can be; drops weights only in training.

        ``kind`` says what attends to what, where it is not that of the module.
        """
        drop = dropout if self.training else 0.0
        if not self.observed:
            return unheard(query, key, value, score, mask, normalise, drop)
        asked = Asked(
            query,
            key,
            value,
            score,
            mask,
            normalisers.resolve(normalise).bound(),  # what is told is what is drawn
            dropout=drop,
            kind=self.kind if kind is None else kind,
            training=self.training,
        )
        context = edited(self.edits, asked, asked.attend)
        if self.watchers:
            self.notify(asked.told(context))
        return context

    def pooled(
        self,
        asked: Asked,
        weights: Float[Tensor, "*B Q K"],
        pool: Callable[[Tensor], Tensor] | None = None,
    ) -> tuple[Float[Tensor, "*B Q E"], Float[Tensor, "*B Q K"]]:
        """Context and weights of an attention whose weights are at hand, after all edits.

        Args:
            asked: what they were computed from.
            weights: as they were computed.
            pool: from weights to contexts; products with the values if not given.
        """
        for edit in self.edits:
            weights = edit.weights(asked, weights)
        context = weights @ asked.value if pool is None else pool(weights)
        for edit in self.edits:
            context = edit.replaced(asked, context)
        if self.watchers:
            self.notify(asked.told(context, weights))
        return context, weights

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
            told = Attended(query, key, score, mask, normalise, kind=self.kind, weights=weights)
            self.notify(told)
        return weights


def require_choice(what: str, name: str, known: Iterable[str]) -> None:
    """Raise unless ``name`` is one of those known."""
    if name not in (names := sorted(known)):
        raise ChoiceError(f"unknown {what} {name!r}. Known: {', '.join(names)}.")


def uniform(*sizes: int, fan_in: int) -> nn.Parameter:
    r"""A parameter drawn from :math:`U(-1/\sqrt n, 1/\sqrt n)`, n = ``fan_in``, as in torch."""
    bound = max(1, fan_in) ** -0.5
    return nn.Parameter(torch.empty(sizes).uniform_(-bound, bound))
