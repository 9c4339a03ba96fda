"""The simple recurrent network, and its output layer."""

import torch
from torch import nn

from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from .base import Hidden
from .fused import FusedCell


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

    def next_state(self, x: Tensor, state: Hidden, seen: Tensor) -> Hidden:
        """The equations above."""
        hidden = torch.tanh(self.input_proj(x) + self.hidden_proj(seen))
        return Hidden(hidden.to(state.hidden.dtype))


class Output(nn.Module):
    r"""The output layer of a recurrent network.

    .. math:: o_t = c + V h_t, \quad \hat y_t = \text{softmax}(o_t)

    Goodfellow et al. 2016, chapter 10 (https://www.deeplearningbook.org). Theirs → ours: V, c →
    ``proj``. Calling it gives o_t, which losses want; :meth:`predict` gives ŷ_t. O(H V) per step.

    Args:
        hidden_dim: width of h_t.
        num_classes: how many classes.
    """

    def __init__(self, hidden_dim: int, num_classes: int) -> None:
        super().__init__()
        require_sizes("Output", hidden_dim=hidden_dim, num_classes=num_classes)
        self.proj = nn.Linear(hidden_dim, num_classes)

    def forward(self, hidden: Float[Tensor, "*B H"]) -> Float[Tensor, "*B V"]:
        """The logits o_t."""
        return self.proj(hidden)

    def predict(self, hidden: Float[Tensor, "*B H"]) -> Float[Tensor, "*B V"]:
        """The probabilities ŷ_t, normalised in at least float32."""
        logits = self.proj(hidden)
        wide = torch.promote_types(logits.dtype, torch.float32)
        return torch.softmax(logits.to(wide), dim=-1).to(logits.dtype)
