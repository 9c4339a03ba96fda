"""Three cells found by search: MUT1, MUT2, MUT3.

Jozefowicz, Zaremba and Sutskever 2015 (https://proceedings.mlr.press/v37/jozefowicz15.html). Theirs
→ ours: W_xz, b_z → ``update_input_proj``; W_hz → ``update_hidden_proj``; W_xr →
``reset_input_proj``; W_hr, b_r → ``reset_hidden_proj``; W_xh → ``candidate_input_proj``;
W_hh, b_h → ``candidate_hidden_proj``.
"""

from abc import abstractmethod

import torch
from torch import nn

from regard.errors import ShapeError
from regard.mechanism import mechanism
from regard.papers import JOZEFOWICZ_2015
from regard.types import Tensor

from .base import Cell, Hidden


class _Mutant(Cell[Hidden]):
    """What the three have in common: two gates, one of which resets the state before a matrix."""

    reset_input_proj: nn.Linear
    candidate_input_proj: nn.Linear

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.update_input_proj = nn.Linear(input_dim, hidden_dim)
        self.reset_hidden_proj = nn.Linear(hidden_dim, hidden_dim)
        self.candidate_hidden_proj = nn.Linear(hidden_dim, hidden_dim)

    def next_state(self, x: Tensor, state: Hidden, seen: Tensor) -> Hidden:
        """The equations of each mutant."""
        z = torch.sigmoid(self.update(x, seen))
        r = torch.sigmoid(self.reset_input(x) + self.reset_hidden_proj(seen))
        candidate = torch.tanh(self.candidate_hidden_proj(r * seen) + self.candidate_input(x))
        return Hidden((candidate * z + state.hidden * (1 - z)).to(state.hidden.dtype))

    @abstractmethod
    def update(self, x: Tensor, hidden: Tensor) -> Tensor:
        """What the update gate is the sigmoid of."""

    def reset_input(self, x: Tensor) -> Tensor:
        """What the input brings to the reset gate: W_xr x, unless a mutant says otherwise."""
        return self.reset_input_proj(x)

    def candidate_input(self, x: Tensor) -> Tensor:
        """What the input brings to the new state: W_xh x, unless a mutant says otherwise."""
        return self.candidate_input_proj(x)

    def _require_one_width(self) -> None:
        if self.input_dim != self.hidden_dim:
            raise ShapeError(
                f"{type(self).__name__} adds the input itself to what is as wide as the state, so "
                f"it needs input_dim equal to hidden_dim, got {self.input_dim} and "
                f"{self.hidden_dim}; project the input first"
            )


@mechanism(
    "MUT1",
    family="cells",
    equation="h = tanh(W(r⊙h) + tanh x + b)⊙z + h⊙(1−z),  z = σ(W x + b)",
    cost="O(D²) a step",
    paper=JOZEFOWICZ_2015,
)
class MUT1(_Mutant):
    r"""The first mutant: the update gate does not see the state, the input enters as it is.

    .. math::
        z &= \sigma(W_{xz} x_t + b_z) \\
        r &= \sigma(W_{xr} x_t + W_{hr} h_t + b_r) \\
        h_{t+1} &= \tanh(W_{hh} (r \odot h_t) + \tanh(x_t) + b_h) \odot z + h_t \odot (1 - z)

    Jozefowicz et al. 2015 (https://proceedings.mlr.press/v37/jozefowicz15.html); names as at the
    head of this module. O(H²) per step.

    Args:
        input_dim: width of x_t, the same as ``hidden_dim``.
        hidden_dim: width of h_t.

    Raises:
        ShapeError: the widths differ.
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self._require_one_width()
        self.reset_input_proj = nn.Linear(input_dim, hidden_dim, bias=False)
        self.reset_parameters()

    def update(self, x: Tensor, hidden: Tensor) -> Tensor:
        """W_xz x + b_z."""
        return self.update_input_proj(x)

    def candidate_input(self, x: Tensor) -> Tensor:
        """The hyperbolic tangent of x."""
        return torch.tanh(x)


@mechanism(
    "MUT2",
    family="cells",
    equation="h = tanh(W(r⊙h) + W x + b)⊙z + h⊙(1−z),  r = σ(x + W h + b)",
    cost="O(D²) a step",
    paper=JOZEFOWICZ_2015,
)
class MUT2(_Mutant):
    r"""The second mutant: the input enters the reset gate as it is.

    .. math::
        z &= \sigma(W_{xz} x_t + W_{hz} h_t + b_z) \\
        r &= \sigma(x_t + W_{hr} h_t + b_r) \\
        h_{t+1} &= \tanh(W_{hh} (r \odot h_t) + W_{xh} x_t + b_h) \odot z + h_t \odot (1 - z)

    Jozefowicz et al. 2015 (https://proceedings.mlr.press/v37/jozefowicz15.html); names as at the
    head of this module. O(H²) per step.

    Args:
        input_dim: width of x_t, the same as ``hidden_dim``.
        hidden_dim: width of h_t.

    Raises:
        ShapeError: the widths differ.
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self._require_one_width()
        self.update_hidden_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.candidate_input_proj = nn.Linear(input_dim, hidden_dim, bias=False)
        self.reset_parameters()

    def update(self, x: Tensor, hidden: Tensor) -> Tensor:
        """W_xz x + W_hz h + b_z."""
        return self.update_input_proj(x) + self.update_hidden_proj(hidden)

    def reset_input(self, x: Tensor) -> Tensor:
        """The input itself."""
        return x


@mechanism(
    "MUT3",
    family="cells",
    equation="as MUT2, z = σ(W x + W tanh h + b)",
    cost="O(D²) a step",
    paper=JOZEFOWICZ_2015,
)
class MUT3(_Mutant):
    r"""The third mutant: the update gate sees the hyperbolic tangent of the state.

    .. math::
        z &= \sigma(W_{xz} x_t + W_{hz} \tanh(h_t) + b_z) \\
        r &= \sigma(W_{xr} x_t + W_{hr} h_t + b_r) \\
        h_{t+1} &= \tanh(W_{hh} (r \odot h_t) + W_{xh} x_t + b_h) \odot z + h_t \odot (1 - z)

    Jozefowicz et al. 2015 (https://proceedings.mlr.press/v37/jozefowicz15.html); names as at the
    head of this module. O(H (D + H)) per step.

    Args:
        input_dim: width of x_t.
        hidden_dim: width of h_t.
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.update_hidden_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.reset_input_proj = nn.Linear(input_dim, hidden_dim, bias=False)
        self.candidate_input_proj = nn.Linear(input_dim, hidden_dim, bias=False)
        self.reset_parameters()

    def update(self, x: Tensor, hidden: Tensor) -> Tensor:
        """W_xz x + W_hz tanh(h) + b_z."""
        return self.update_input_proj(x) + self.update_hidden_proj(torch.tanh(hidden))
