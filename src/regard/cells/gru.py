"""The gated recurrent unit."""

from collections.abc import Callable
from typing import Literal, get_args

import torch
from torch import nn
from torch.nn.functional import linear

from regard.errors import ChoiceError
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from .base import Hidden
from .fused import FusedCell

Reset = Literal["before", "after"]


@mechanism(
    "GRU",
    family="cells",
    equation="h = z⊙h + (1 − z)⊙h̃",
    cost="O(D²) a step",
    paper=("Cho 2014", "https://arxiv.org/abs/1406.1078"),
)
class GRU(FusedCell[Hidden]):
    r"""The gated recurrent unit.

    .. math::
        r, z &= \sigma(W_x x_t + W_h h_{t-1} + b) \\
        \tilde h &= \tanh(W_{xh} x_t + W_{hh} (r \odot h_{t-1}) + b) \\
        h_t &= z \odot h_{t-1} + (1 - z) \odot \tilde h

    Cho et al. 2014 (https://arxiv.org/abs/1406.1078), ``reset="before"``: r resets the state before
    the matrix sees it. ``reset="after"`` is torch's: :math:`r \odot (W_{hh} h_{t-1} + b_{hh})`,
    with a bias of its own, and all steps run in torch's kernel. The matrices for x → ``input_proj``
    (with b), for h → ``hidden_proj``; the rows stand in torch's order r, z, h̃. O(H (D + H)) per
    step.

    Args:
        input_dim: width of x_t.
        hidden_dim: width of h_t.
        reset: whether r acts before or after the matrix.
        update_bias: added to the first value of z's bias; above 0 it lets a new cell remember, as
            the forget gate of an :class:`LSTM` does.
    """

    kernel = torch.gru
    peer = nn.GRU

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        reset: Reset = "before",
        update_bias: float = 0.0,
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        if reset not in get_args(Reset):
            raise ChoiceError(f"unknown reset {reset!r}. Known: after, before.")
        self.reset = reset
        self.input_proj = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=reset == "after")
        self.reset_parameters()
        with torch.no_grad():
            self.input_proj.bias[hidden_dim : 2 * hidden_dim] += update_bias

    def next_state(self, x: Tensor, state: Hidden, seen: Tensor) -> Hidden:
        """The equations above."""
        inputs = self.input_proj(x)
        if self.reset == "after":
            return Hidden(reset_after(inputs, self.hidden_proj(seen), state.hidden))
        gates, own = self.hidden_proj.weight.split([2 * self.hidden_dim, self.hidden_dim])
        hidden = reset_before(
            inputs,
            state.hidden,
            seen,
            gates=lambda start, h: start + linear(h, gates),
            own=lambda start, h: start + linear(h, own),
        )
        return Hidden(hidden)

    def fusable(self) -> bool:
        """Torch has a kernel for ``reset="after"`` alone."""
        return self.reset == "after" and super().fusable()

    def extra_repr(self) -> str:
        """The widths, and where the reset acts."""
        return f"{super().extra_repr()}, reset={self.reset!r}"


def reset_after(
    inputs: Float[Tensor, "*B HHH"], own: Float[Tensor, "*B HHH"], hidden: Float[Tensor, "*B H"]
) -> Float[Tensor, "*B H"]:
    """The state after one step that resets after its matrix; also for loops.

    Args:
        inputs: W x + b.
        own: U h + c.
        hidden: h.
    """
    sizes = [2 * hidden.shape[-1], hidden.shape[-1]]
    (x_gates, x_h), (h_gates, h_h) = inputs.split(sizes, dim=-1), own.split(sizes, dim=-1)
    r, z = torch.sigmoid(x_gates + h_gates).chunk(2, dim=-1)
    return _mixed(z, torch.tanh(torch.addcmul(x_h, r, h_h)), hidden)


def reset_before(
    inputs: Float[Tensor, "*B HHH"],
    hidden: Float[Tensor, "*B H"],
    seen: Float[Tensor, "*B H"],
    *,
    gates: Callable[[Tensor, Tensor], Tensor],
    own: Callable[[Tensor, Tensor], Tensor],
) -> Float[Tensor, "*B H"]:
    """The state after one step that resets before its matrix; also for loops.

    Args:
        inputs: W x + b.
        hidden: h.
        seen: what the matrices see of it.
        gates: adds the product with the gates' rows of the matrix to its first argument.
        own: the same with the candidate's rows.
    """
    x_gates, x_h = inputs.split([2 * hidden.shape[-1], hidden.shape[-1]], dim=-1)
    r, z = torch.sigmoid(gates(x_gates, seen)).chunk(2, dim=-1)
    return _mixed(z, torch.tanh(own(x_h, r * seen)), hidden)


def _mixed(z: Tensor, candidate: Tensor, hidden: Tensor) -> Float[Tensor, "*B H"]:
    """z h + (1 - z) h̃."""
    return torch.addcmul(candidate, z, hidden - candidate).to(hidden.dtype)
