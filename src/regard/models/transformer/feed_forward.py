"""Position-wise feed-forward networks."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from regard.kernels.derivatives import transformed
from regard.registry import Registry
from regard.types import Float, Tensor

from ..dropout import Dropout

ActivationName = (
    Literal["relu", "relu_squared", "gelu", "gelu_tanh", "silu"]
    | Literal["swiglu", "geglu", "geglu_tanh", "reglu"]
)


class Activation(NamedTuple):
    """A function between the two linear maps, and how many inputs it has for each output."""

    function: Callable[[Tensor], Tensor]
    inputs: int = 1


class _ReluSquared(torch.autograd.Function):
    """max(0, x)², whose gradient 2 max(0, x) needs no mask of its own."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.relu(x).square_()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 2 * torch.relu(x) * gradient


def _relu_squared(x: Float[Tensor, "*N F"]) -> Float[Tensor, "*N F"]:
    if transformed() or not torch.is_grad_enabled():
        return torch.relu(x).square()
    return _ReluSquared.apply(x)  # type: ignore[no-untyped-call]


def _gelu_tanh(x: Float[Tensor, "*N F"]) -> Float[Tensor, "*N F"]:
    return functional.gelu(x, approximate="tanh")


def _gated(gate_of: Callable[[Tensor], Tensor]) -> Activation:
    """A gate through a function, times a value."""

    def gated(x: Float[Tensor, "*N F2"]) -> Float[Tensor, "*N F"]:
        gate, value = x.chunk(2, dim=-1)
        return gate_of(gate) * value

    return Activation(gated, inputs=2)


_activations: Registry[Activation] = Registry("activation")
_activations.add("relu", Activation(torch.relu_))  # what a linear map gave is nobody else's
_activations.add("relu_squared", Activation(_relu_squared))
_activations.add("gelu", Activation(functional.gelu))
_activations.add("gelu_tanh", Activation(_gelu_tanh))
_activations.add("silu", Activation(functional.silu))
_activations.add("swiglu", _gated(functional.silu))
_activations.add("geglu", _gated(functional.gelu))
_activations.add("geglu_tanh", _gated(_gelu_tanh))
_activations.add("reglu", _gated(torch.relu))


class FeedForward(nn.Module):
    r"""Two linear maps with a non-linearity between them, the same at every position.

    .. math:: W_2 \max(0, W_1 x + b_1) + b_2 \;(relu), \quad W_2\, \text{GELU}(W_1 x + b_1) + b_2,
              \quad W_2 (\text{SiLU}(W_g x) \odot W_1 x) \;(swiglu)

    Vaswani et al. 2017, Eq. 2 (https://arxiv.org/abs/1706.03762); Hendrycks and Gimpel 2016
    (https://arxiv.org/abs/1606.08415); Shazeer 2020 (https://arxiv.org/abs/2002.05202), whose two
    maps W_g and W_1 are here the rows of ``input_proj``, one above the other.

    Differs from Shazeer: ``swiglu`` has biases, as the others have, unless ``bias`` is False. The
    gate of ``geglu`` goes through GELU, that of ``reglu`` through max(0, x).
    ``gelu_tanh`` is the approximation that GPT-2 was trained with; ``relu_squared`` is So et al.
    2021 (https://arxiv.org/abs/2109.08668).

    Args:
        model_dim: width of the input and of the output.
        hidden_dim: width between.
        activation: ``"relu"``, ``"relu_squared"``, ``"gelu"``, ``"gelu_tanh"``, ``"silu"``, or with
            a gate ``"swiglu"``, ``"geglu"``, ``"geglu_tanh"``, ``"reglu"``.
        dropout: probability with which a hidden feature is dropped in training.
        bias: whether both maps have one.
    """

    def __init__(
        self,
        *,
        model_dim: int,
        hidden_dim: int,
        activation: ActivationName = "relu",
        dropout: float = 0.0,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.activation = _activations[activation]
        self.input_proj = nn.Linear(model_dim, hidden_dim * self.activation.inputs, bias=bias)
        self.output_proj = nn.Linear(hidden_dim, model_dim, bias=bias)
        self.dropout = Dropout(dropout)

    def forward(self, x: Float[Tensor, "*N M"]) -> Float[Tensor, "*N M"]:
        """The output of every position."""
        hidden = self.activation.function(self.input_proj(x))
        return self.output_proj(self.dropout(hidden))
