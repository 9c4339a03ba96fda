"""Positions by name: those that join the input, and those that enter the attention."""

from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

from torch import nn

from regard import positions
from regard.nn.position import Position
from regard.positions.rotary import Layout
from regard.registry import Registry
from regard.types import Float, Tensor

PositionName = Literal[
    "sinusoidal", "learned", "linear", "rotary", "alibi", "relative", "shaw", "t5", "none"
]


@runtime_checkable
class Placed(Protocol):
    """What a config says of positions."""

    @property
    def position(self) -> PositionName:
        """How a token knows where it stands."""

    @property
    def model_dim(self) -> int:
        """Width between the layers."""

    @property
    def num_heads(self) -> int:
        """Heads of every attention."""

    @property
    def width_of_head(self) -> int:
        """Features of one head."""

    @property
    def max_length(self) -> int:
        """Longest sequence that learned positions have vectors for."""

    @property
    def wave_layout(self) -> Layout:
        """Whether sines and cosines of sinusoidal positions take turns, or stand in halves."""

    @property
    def rotary_base(self) -> float:
        """Of the wave lengths of rotary positions."""

    @property
    def rotary_scaling(self) -> positions.RotaryScaling | None:
        """How rotary positions reach farther than they were trained to."""

    @property
    def buckets(self) -> int:
        """Distances that T5's positions tell apart."""

    @property
    def farthest(self) -> int:
        """Distance from which on they are one to T5's positions."""

    @property
    def reach(self) -> int:
        """Farthest distance that relative and shaw positions tell apart."""


class Nowhere(nn.Module):
    """No position joins the input."""

    def forward(self, x: Float[Tensor, "B N M"], start: int = 0) -> Float[Tensor, "B N M"]:
        """``x`` as it is."""
        return x


Joined = positions.InputPosition | Nowhere

_joined: Registry[Callable[[Placed], positions.InputPosition]] = Registry("position")
_joined.add(
    "sinusoidal",
    lambda config: positions.Sinusoidal(config.model_dim, layout=config.wave_layout),
)
_joined.add("learned", lambda config: positions.Learned(config.max_length, config.model_dim))
_joined.add("linear", lambda config: positions.Linear(config.model_dim))

_attended: Registry[Callable[[Placed, bool], Position]] = Registry("position")
_attended.add(
    "rotary",
    lambda config, causal: positions.Rotary(
        config.width_of_head, config.rotary_base, scaling=config.rotary_scaling
    ),
)
_attended.add("alibi", lambda config, causal: positions.Alibi(config.num_heads))
_attended.add(
    "relative", lambda config, causal: positions.RelativeBias(config.num_heads, config.reach)
)
_attended.add("shaw", lambda config, causal: positions.ShawKeys(config.width_of_head, config.reach))
_attended.add(
    "t5",
    lambda config, causal: positions.T5Bias(
        config.num_heads,
        num_buckets=config.buckets,
        max_distance=config.farthest,
        bidirectional=not causal,
    ),
)


def joined(config: Placed) -> Joined:
    """What adds positions to the embeddings."""
    name = config.position
    return _joined[name](config) if name in _joined else Nowhere()


def attended(config: Placed, *, causal: bool) -> Position | None:
    """What tells positions to one self-attention; every layer has its own."""
    name = config.position
    return _attended[name](config, causal) if name in _attended else None
