"""The gated recurrent unit."""

from typing import Literal, get_args

import torch
from torch import nn
from torch.nn.functional import linear

from regard.errors import ChoiceError
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from .base import seen
from .fused import FusedCell
from .states import Hidden

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

    def start(self, *batch: int) -> Hidden:
        """Zeros."""
        return Hidden(self.zeros(*batch, self.hidden_dim))

    def forward(
        self,
        x: Float[Tensor, "*B D"],
        state: Hidden,
        *,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B H"], Hidden]:
        """One step; see :meth:`Cell.forward`."""
        self.check(x, state.hidden)
        before = seen(state.hidden, hidden_mask)
        step = self._reset_before if self.reset == "before" else self._reset_after
        z, candidate = step(self.input_proj(x), before)
        hidden = (z * state.hidden + (1 - z) * candidate).to(state.hidden.dtype)
        return hidden, Hidden(hidden)

    def _reset_before(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        width = self.hidden_dim
        gates, own = self.hidden_proj.weight.split([2 * width, width])
        of_x, candidate = inputs.split([2 * width, width], dim=-1)
        r, z = torch.sigmoid(of_x + linear(hidden, gates)).chunk(2, dim=-1)
        return z, torch.tanh(candidate + linear(r * hidden, own))

    def _reset_after(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        x_r, x_z, x_h = inputs.chunk(3, dim=-1)
        h_r, h_z, h_h = self.hidden_proj(hidden).chunk(3, dim=-1)
        return torch.sigmoid(x_z + h_z), torch.tanh(x_h + torch.sigmoid(x_r + h_r) * h_h)

    def fusable(self) -> bool:
        """Torch has a kernel for ``reset="after"`` alone."""
        return self.reset == "after" and super().fusable()

    def kernel_weights(self) -> list[Tensor]:
        """Both biases: the second one is inside the reset."""
        ours = (self.input_proj, self.hidden_proj)
        return [*(proj.weight for proj in ours), *(proj.bias for proj in ours)]

    @torch.no_grad()
    def load_kernel_weights(
        self, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor
    ) -> None:
        """As they are."""
        self.input_proj.weight.copy_(weight_ih)
        self.hidden_proj.weight.copy_(weight_hh)
        self.input_proj.bias.copy_(bias_ih)
        self.hidden_proj.bias.copy_(bias_hh)

    def extra_repr(self) -> str:
        """The widths, and where the reset acts."""
        return f"{super().extra_repr()}, reset={self.reset!r}"
