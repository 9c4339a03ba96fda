"""A call of an attention function of ``transformers``, in our words."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torch import nn

from regard.errors import ChoiceError
from regard.functional import masks
from regard.functional.asked import Asked
from regard.functional.events import Kind
from regard.functional.masks import Mask
from regard.functional.normalisers import Normaliser, SoftmaxWithSink
from regard.functional.scores import Bias, ScaledDot, Score, SoftCapped
from regard.types import Float, Tensor

from .additive import mask_and_score
from .event import freed, kept, kind_by_name

OPTIONS = ("scaling", "softcap", "position_bias", "s_aux", "is_causal", "dropout")
"""What of the options says how weights are made."""


@dataclass(frozen=True, eq=False)
class InterfaceCall:
    """What an attention module handed to ``attention_interface``.

    Args:
        module: which one.
        name: of it in the model.
        query: (B, H, Q, D), turned and scaled as the module does that.
        key: (B, G, K, D), all that a cache holds.
        value: (B, G, K, E).
        mask: boolean, additive or ``None``, which means causal where ``causal`` says so.
        options: everything else it was called with.
        eager: whether it is the model's own plain function, which takes no ``None`` for causal.
    """

    module: nn.Module
    name: str
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Any
    options: dict[str, Any]
    eager: bool

    @property
    def kind(self) -> Kind:
        """Self or cross attention, which the names tell."""
        return kind_by_name(self.module, self.name)

    @property
    def dropout(self) -> float:
        """The probability this call drops weights with."""
        return float(self.options.get("dropout") or 0.0)

    @cached_property
    def causal(self) -> bool:
        """Whether no mask means: no look ahead."""
        if self.eager or self.mask is not None or self.query.shape[2] < 2:
            return False
        told = self.options.get("is_causal")
        return bool(getattr(self.module, "is_causal", True) if told is None else told)

    def free(self) -> "InterfaceCall":
        """The same with tensors that hold no graph, and only what says how weights are made."""
        options = {name: freed(x) for name, x in self.options.items() if name in OPTIONS}
        query, key, value = kept(self.query), kept(self.key), kept(self.value)
        mask = freed(self.mask)
        return InterfaceCall(self.module, self.name, query, key, value, mask, options, self.eager)

    def laid_out(self, x: Float[Tensor, "B Q H E"]) -> Float[Tensor, "B H Q E"]:
        """An output as we lay out a context."""
        return x.transpose(1, 2)

    def asked(self) -> Asked:
        """The same attention by our values."""
        keys = self.key.shape[2]
        # Causal without a mask is aligned at the upper left; what a static cache holds behind the
        # queries is empty.
        keys = min(keys, self.query.shape[2]) if self.causal else keys
        mask, score = self._mask_and_score(keys)
        return Asked(
            self.query,
            self.key[:, :, :keys],
            self.value[:, :, :keys],
            score,
            mask,
            self._normaliser(),
            dropout=self.dropout,
            kind=self.kind,
            training=self.module.training,
        )

    def _mask_and_score(self, keys: int) -> tuple[Mask | None, Score]:
        given = self.mask
        if given is not None and not isinstance(given, Tensor):
            raise ChoiceError(
                f"the mask of {self.name!r} is a {type(given).__name__}, which cannot be read; "
                "load the model with attn_implementation='sdpa'"
            )
        mask, score = mask_and_score(_cropped(given, keys), self._score(keys))
        return (masks.causal() if self.causal else mask), score

    def _score(self, keys: int) -> Score:
        scaling = self.options.get("scaling")
        score: Score = ScaledDot() if scaling is None else ScaledDot(float(scaling))
        if (cap := self.options.get("softcap")) is not None:
            score = SoftCapped(score, float(cap))
        bias = self.options.get("position_bias")
        return score if bias is None else score + Bias(_cropped(bias, keys))

    def _normaliser(self) -> Normaliser | str:
        sink = self.options.get("s_aux")
        return "softmax" if sink is None else SoftmaxWithSink(sink.reshape(-1))


def _cropped(x: Tensor | None, keys: int) -> Any:
    """A mask or bias, without what belongs to keys that nobody looks at."""
    return x if x is None or x.shape[-1] in (1, keys) else x[..., :keys]
