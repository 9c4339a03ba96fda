"""Attention that treats what belongs to oneself apart from what belongs to others."""

import torch
from torch import nn

from regard.errors import DtypeError, RangeError, ShapeError
from regard.functional import masks
from regard.functional.masks import Mask
from regard.functional.normalisers import Normaliser
from regard.functional.normalisers import resolve as resolve_normaliser
from regard.functional.scores import ByMask, ScaledDot
from regard.functional.tensors import require_padded
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Int, Tensor

from .base import AttentionModule
from .heads import head_mask, join_heads, split_heads, width_of_head
from .memory import KeyMask

Agents = int | Int[Tensor, "... Q"]
"""How many agents take turns in the sequence, or whose each position is."""


@mechanism(
    "agent-aware",
    equation="e = M ⊙ q_self·k_self + (1 − M) ⊙ q_other·k_other",
    cost="O(N² D)",
    paper=("Yuan 2021", "https://arxiv.org/abs/2103.14023"),
)
class AgentAwareAttention(AttentionModule):
    r"""Multi-head attention with one pair of projections for oneself and one for the others.

    .. math:: A = M \odot (Q_{self} K_{self}^\top) + (1 - M) \odot (Q_{other} K_{other}^\top), \quad
              M_{ij} = 1[\text{agent}(i) = \text{agent}(j)], \quad
              c = \text{softmax}(A / \sqrt{d_k}) V

    Yuan et al. 2021, section 3.2 (https://arxiv.org/abs/2103.14023), where the agents of a moment
    follow each other, so that agent(i) = i mod N. Theirs → ours: W_self^Q → ``query_proj``,
    W_self^K → ``key_proj``, W_other^Q → ``other_query_proj``, W_other^K → ``other_key_proj``, W^V →
    ``value_proj``. Every pair is scored twice: O(2 Q K M) time, linear memory.

    Args:
        model_dim: M, width of input and output.
        num_heads: H.
        head_dim: width of a head; M / H if not given.
        key_dim: width of what is looked at; M if not given.
        normalise: how scores become weights.
        dropout: probability with which each weight is dropped in training.
    """

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        head_dim: int | None = None,
        key_dim: int | None = None,
        normalise: Normaliser | str = "softmax",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        key_dim = model_dim if key_dim is None else key_dim
        require_sizes(self, model_dim=model_dim, num_heads=num_heads, key_dim=key_dim)
        self.head_dim = width_of_head(self, model_dim, num_heads, head_dim)
        require_sizes(self, head_dim=self.head_dim)
        resolve_normaliser(normalise)
        if not 0 <= dropout < 1:
            raise RangeError(
                f"AgentAwareAttention needs dropout of at least 0 and below 1, got {dropout}"
            )
        self.model_dim, self.num_heads, self.key_dim = model_dim, num_heads, key_dim
        self.normalise, self.dropout = normalise, dropout
        width = num_heads * self.head_dim
        self.query_proj = nn.Linear(model_dim, width)
        self.key_proj = nn.Linear(key_dim, width)
        self.other_query_proj = nn.Linear(model_dim, width)
        self.other_key_proj = nn.Linear(key_dim, width)
        self.value_proj = nn.Linear(key_dim, width)
        self.output_proj = nn.Linear(width, model_dim)

    def forward(
        self,
        query: Float[Tensor, "*B Q M"],
        key: Float[Tensor, "*B K Dk"] | None = None,
        *,
        agents: Agents,
        key_agents: Int[Tensor, "... K"] | None = None,
        mask: KeyMask | None = None,
    ) -> Float[Tensor, "*B Q M"]:
        """What each position finds in its own past and in the others'.

        Args:
            query: what is looking.
            key: what is looked at; ``query`` if not given.
            agents: N, where position i belongs to agent i mod N in queries and keys alike, or the
                agent of each position, (*B, Q).
            key_agents: the agent of each key, where the keys are another sequence and ``agents``
                is a tensor.
            mask: which keys may be looked at: a mask, booleans (*B, K), or lengths (*B,).
        """
        source = query if key is None else key
        self._check(query, source)
        score = ByMask(_same_agent(agents, key_agents), ScaledDot(), ScaledDot())
        context = self.attend(
            self._heads(self.query_proj(query), self.other_query_proj(query)),
            self._heads(self.key_proj(source), self.other_key_proj(source)),
            split_heads(self.value_proj(source), self.num_heads),
            score=score,
            mask=head_mask(mask),
            normalise=self.normalise,
            dropout=self.dropout,
            kind="self" if key is None or key is query else "cross",
        )
        return self.output_proj(join_heads(context))  # (*B, Q, M)

    def _heads(self, own: Tensor, other: Tensor) -> Float[Tensor, "*B H N W"]:
        """Both projections side by side in every head."""
        parts = (x.unflatten(-1, (self.num_heads, -1)) for x in (own, other))  # (*B, N, H, D)
        return torch.cat(tuple(parts), dim=-1).transpose(-3, -2)

    def _check(self, query: Tensor, key: Tensor) -> None:
        require_padded(self, query)
        require_padded(self, key)
        if query.shape[-1] != self.model_dim or key.shape[-1] != self.key_dim:
            raise ShapeError(
                f"AgentAwareAttention needs queries of width {self.model_dim} and keys of width "
                f"{self.key_dim}, got {tuple(query.shape)} and {tuple(key.shape)}"
            )

    def extra_repr(self) -> str:
        """Sizes and choices."""
        return (
            f"{self.model_dim}, {self.num_heads}, head_dim={self.head_dim}, "
            f"normalise={self.normalise!r}, dropout={self.dropout}"
        )


def _same_agent(agents: Agents, key_agents: Tensor | None) -> Mask:
    """Pairs of one agent."""
    if isinstance(agents, Tensor):
        return masks.document(agents, key_agents)
    if key_agents is not None:
        raise DtypeError(
            "AgentAwareAttention needs agents as a tensor beside key_agents, got "
            f"{type(agents).__name__}; give the agent of each query, or only their number"
        )
    return masks.strided(agents)
