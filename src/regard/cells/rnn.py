"""The simple recurrent network."""

import torch
from torch import nn

from regard.mechanism import mechanism
from regard.types import Float, Tensor

from .base import seen
from .fused import FusedCell
from .states import Hidden


@mechanism(
    "RNN",
    family="cells",
    equation="h = tanh(b + W h + U x)",
    cost="O(D²) a step",
    paper=("Elman 1990", "https://doi.org/10.1207/s15516709cog1402_1"),
)
class RNN(FusedCell[Hidden]):
    r"""The simple recurrent network.

    .. math:: h_t = \tanh(b + W h_{t-1} + U x_t)

    Elman 1990 (https://doi.org/10.1207/s15516709cog1402_1), in the letters of Goodfellow et al.
    2016, chapter 10 (https://www.deeplearningbook.org). Theirs → ours: U, b → ``input_proj``, W →
    ``hidden_proj``. The rest of their equations, o = c + V h and its softmax, is
    :class:`Output`. O(H (D + H)) per step. Torch's ``nn.RNN`` adds a second bias, which is part of
    b here.

    Args:
        input_dim: width of x_t.
        hidden_dim: width of h_t.
    """

    kernel = torch.rnn_tanh
    peer = nn.RNN

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.input_proj = nn.Linear(input_dim, hidden_dim)
        self.hidden_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.reset_parameters()

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
        hidden = torch.tanh(self.input_proj(x) + self.hidden_proj(before)).to(state.hidden.dtype)
        return hidden, Hidden(hidden)

    def kernel_weights(self) -> list[Tensor]:
        """The second bias of the kernel is zero."""
        bias = self.input_proj.bias
        return [self.input_proj.weight, self.hidden_proj.weight, bias, torch.zeros_like(bias)]

    @torch.no_grad()
    def load_kernel_weights(
        self, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor
    ) -> None:
        """Two biases that are only ever added become one."""
        self.input_proj.weight.copy_(weight_ih)
        self.hidden_proj.weight.copy_(weight_hh)
        self.input_proj.bias.copy_(bias_ih + bias_hh)
