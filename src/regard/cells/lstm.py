"""Long short-term memory."""

import torch
from torch import nn

from regard.mechanism import mechanism
from regard.types import Float, Tensor

from .base import HiddenMemory
from .fused import FusedCell


@mechanism(
    "LSTM",
    family="cells",
    equation="c = f⊙c + i⊙g,  h = o⊙tanh c",
    cost="O(D²) a step",
    paper=("Hochreiter 1997", "https://doi.org/10.1162/neco.1997.9.8.1735"),
)
class LSTM(FusedCell[HiddenMemory]):
    r"""Long short-term memory.

    .. math::
        (i, f, o, g) &= (\sigma, \sigma, \sigma, \tanh)(W [h_{t-1}; x_t] + b) \\
        c_t &= f \odot c_{t-1} + i \odot g \\
        h_t &= o \odot \tanh c_t

    Hochreiter and Schmidhuber 1997 (https://doi.org/10.1162/neco.1997.9.8.1735) with the forget
    gate of Gers et al. 2000 (https://doi.org/10.1162/089976600300015015). W is kept in two parts:
    its columns for x → ``input_proj`` (with b), for h → ``hidden_proj``; the rows stand in torch's
    order i, f, g, o. O(H (D + H)) per step. Torch's ``nn.LSTM`` adds a second bias, which is part
    of b here.

    Args:
        input_dim: width of x_t.
        hidden_dim: width of h_t and c_t.
        forget_bias: added to the first value of the forget gate's bias; 1 lets a new cell remember
            (Jozefowicz et al. 2015, https://proceedings.mlr.press/v37/jozefowicz15.html).
    """

    state_type = HiddenMemory
    kernel = torch.lstm
    peer = nn.LSTM

    def fusable(self) -> bool:
        """Not where oneDNN, which torch asks on a CPU, has no kernel for the precision."""
        if not super().fusable():  # asked first: compilers cannot follow what comes behind
            return False
        weight = self.input_proj.weight
        device = weight.device.type
        lowered = torch.is_autocast_enabled(device) if device != "meta" else False
        dtype = torch.get_autocast_dtype(device) if lowered else weight.dtype
        if device == "cpu" and torch.backends.mkldnn.is_available():
            known = torch.ops.mkldnn
            if dtype == torch.bfloat16 and not known._is_mkldnn_bf16_supported():
                return False
            if dtype == torch.float16 and not known._is_mkldnn_fp16_supported():
                return False
        return True

    def __init__(self, input_dim: int, hidden_dim: int, *, forget_bias: float = 0.0) -> None:
        super().__init__(input_dim, hidden_dim)
        self.input_proj = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden_proj = nn.Linear(hidden_dim, 4 * hidden_dim, bias=False)
        self.reset_parameters()
        with torch.no_grad():
            self.input_proj.bias[hidden_dim : 2 * hidden_dim] += forget_bias

    def next_state(self, x: Tensor, state: HiddenMemory, seen: Tensor) -> HiddenMemory:
        """The equations above."""
        return self.update(self.input_proj(x) + self.hidden_proj(seen), state)

    @staticmethod
    def update(gates: Float[Tensor, "*B HHHH"], state: HiddenMemory) -> HiddenMemory:
        """The state after one step, from W [h; x] + b; also for loops that have it already."""
        i, f, g, o = gates.chunk(4, dim=-1)
        kept = torch.sigmoid(f) * state.memory
        memory = torch.addcmul(kept, torch.sigmoid(i), torch.tanh(g)).to(state.memory.dtype)
        hidden = (torch.sigmoid(o) * torch.tanh(memory)).to(state.hidden.dtype)
        return HiddenMemory(hidden, memory)
