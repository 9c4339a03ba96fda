"""Positions by name: those that join the input, and those that enter the attention."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from torch import nn

from regard import positions
from regard.nn.position import Position
from regard.registry import Registry
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from .config import TransformerConfig

PositionName = Literal[
    "sinusoidal", "learned", "linear", "rotary", "alibi", "relative", "shaw", "t5", "none"
]


class Nowhere(nn.Module):
    """No position joins the input."""

    def forward(self, x: Float[Tensor, "B N M"], start: int = 0) -> Float[Tensor, "B N M"]:
        """``x`` as it is."""
        return x


Joined = positions.InputPosition | Nowhere

_joined: Registry[Callable[["TransformerConfig"], positions.InputPosition]] = Registry("position")
_joined.add("sinusoidal", lambda config: positions.Sinusoidal(config.model_dim))
_joined.add("learned", lambda config: positions.Learned(config.max_length, config.model_dim))
_joined.add("linear", lambda config: positions.Linear(config.model_dim))

_attended: Registry[Callable[["TransformerConfig", bool], Position]] = Registry("position")
_attended.add("rotary", lambda config, causal: positions.Rotary(config.width_of_head))
_attended.add("alibi", lambda config, causal: positions.Alibi(config.num_heads))
_attended.add(
    "relative", lambda config, causal: positions.RelativeBias(config.num_heads, config.reach)
)
_attended.add("shaw", lambda config, causal: positions.ShawKeys(config.width_of_head, config.reach))
_attended.add(
    "t5", lambda config, causal: positions.T5Bias(config.num_heads, bidirectional=not causal)
)


def joined(config: "TransformerConfig") -> Joined:
    """What adds positions to the embeddings."""
    name = config.position
    return _joined[name](config) if name in _joined else Nowhere()


def attended(config: "TransformerConfig", *, causal: bool) -> Position | None:
    """What tells positions to one self-attention; every layer has its own."""
    name = config.position
    return _attended[name](config, causal) if name in _attended else None
