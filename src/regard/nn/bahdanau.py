"""Additive attention."""

from torch import nn

from regard.functional import scores
from regard.functional.normalisers import Normaliser
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import BAHDANAU_2014

from .base import uniform
from .step import StepAttention


@mechanism("Bahdanau", equation="cₜ = Σᵢ α(sₜ₋₁, hᵢ) hᵢ", cost="O(K A) a step", paper=BAHDANAU_2014)
class BahdanauAttention(StepAttention):
    r"""Additive attention, the alignment model of RNNsearch.

    .. math:: e_{ti} = v^\top \tanh(W_s s_{t-1} + W_h h_i), \quad \alpha_t = \text{softmax}(e_t),
              \quad c_t = \sum_i \alpha_{ti} h_i

    Bahdanau et al. 2014, appendix A.1.2 (https://arxiv.org/abs/1409.0473). Theirs → ours: v_a →
    ``v``, W_a → ``query_proj``, U_a → ``key_proj``. The state is the decoder's *previous* one.
    O(K A) per step once the keys are projected; all steps at once run in linear memory.

    Args:
        query_dim: width of the decoder's state.
        key_dim: width of the keys.
        hidden_dim: A, width of the hidden layer.
        normalise: how scores become weights.
    """

    query_proj: nn.Linear
    key_proj: nn.Linear

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        hidden_dim: int,
        *,
        normalise: Normaliser | str = "softmax",
    ) -> None:
        super().__init__()
        require_sizes(self, query_dim=query_dim, key_dim=key_dim, hidden_dim=hidden_dim)
        self.query_dim, self.key_dim, self.normalise = query_dim, key_dim, normalise
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)  # W_s
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)  # W_h
        self.v = uniform(hidden_dim, fan_in=hidden_dim)

    def score(self) -> scores.Additive:
        """vᵀ tanh of the sum."""
        return scores.Additive(self.v)
