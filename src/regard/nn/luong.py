"""Global attention of Luong et al., and the layer that makes use of it."""

import torch
from torch import nn

from regard.errors import ShapeError
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import LUONG_2015
from regard.types import Float, Tensor

from .scored import ScoredAttention


@mechanism("Luong", equation="h̃ₜ = tanh(W_c [cₜ; hₜ])", cost="O(K D) a step", paper=LUONG_2015)
class LuongAttention(ScoredAttention):
    r"""Global attention with one of four scores.

    .. math:: e_{ti} = h_t^\top \bar h_i \;(dot), \quad h_t^\top W_a \bar h_i \;(general), \quad
              v_a^\top \tanh(W_a [h_t; \bar h_i]) \;(concat), \quad (W_a h_t)_i \;(location)
    .. math:: a_t = \text{softmax}(e_t), \quad c_t = \sum_i a_{ti} \bar h_i

    Luong, Pham and Manning 2015, section 3.1 (https://arxiv.org/abs/1508.04025). Theirs → ours:
    W_a → ``key_proj.weight`` (general), its columns ``query_proj.weight`` and ``key_proj.weight``
    side by side (concat), ``key_proj.weight`` row by row (location); v_a → ``v``. The state is the
    decoder's *current* one; what follows is :class:`AttentionalState`.

    O(K D) per step, O(K A) for ``concat``, once the keys are projected; all steps at once run in
    linear memory.

    Args:
        query_dim: width of the decoder's state.
        key_dim: width of the keys; as ``query_dim`` for ``dot``.
        score: ``"dot"``, ``"general"``, ``"concat"`` or ``"location"``.
        hidden_dim: A, width of the hidden layer of ``concat``; ``query_dim`` if not given.
        max_length: how many keys ``location`` has rows for; more are an error.
        normalise: how scores become weights.
    """


class AttentionalState(nn.Module):
    r"""The decoder's state with what it attended to.

    .. math:: \tilde h_t = \tanh(W_c [c_t; h_t])

    Luong et al. 2015, Eq. 5 (https://arxiv.org/abs/1508.04025). Theirs → ours: W_c → ``proj``. The
    output layer reads it; with input feeding (their section 3.3) so does the next step.

    Args:
        query_dim: width of the decoder's state h.
        value_dim: width of the context c.
        output_dim: width of the result.
    """

    def __init__(self, query_dim: int, value_dim: int, output_dim: int) -> None:
        super().__init__()
        require_sizes(self, query_dim=query_dim, value_dim=value_dim, output_dim=output_dim)
        self.query_dim, self.value_dim = query_dim, value_dim
        self.proj = nn.Linear(value_dim + query_dim, output_dim, bias=False)

    def forward(
        self, *, context: Float[Tensor, "*B E"], state: Float[Tensor, "*B Dq"]
    ) -> Float[Tensor, "*B M"]:
        """h̃, for one step or for many."""
        if (context.shape[-1], state.shape[-1]) != (self.value_dim, self.query_dim):
            raise ShapeError(
                f"AttentionalState needs a context of width {self.value_dim} and a state of width "
                f"{self.query_dim}, got {tuple(context.shape)} and {tuple(state.shape)}"
            )
        return torch.tanh(self.proj(torch.cat([context, state], dim=-1)))
