"""Attention of Luong et al.: four scores, and the layer that makes use of it."""

from typing import Literal, TypedDict

import torch
from torch import nn

from regard.errors import ChoiceError, ShapeError
from regard.functional import scores
from regard.functional.normalisers import Normaliser
from regard.functional.scores import Score
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import LUONG_2015
from regard.registry import Registry
from regard.types import Float, Tensor

from .base import uniform
from .step import StepAttention

ScoreName = Literal["dot", "general", "concat", "location"]
"""sᵀh, sᵀWh, vᵀ tanh(W [s; h]), or a learned row per position that never sees h."""


class ScoreChoices(TypedDict, total=False):
    """What some scores need beside their name, and how they become weights."""

    hidden_dim: int | None
    max_length: int | None
    normalise: Normaliser | str


class ScoredAttention(StepAttention):
    """The parameters of one of four scores, split so that keys are projected once.

    ``general`` keeps W h, ``concat`` the half of W that looks at keys, ``location`` its rows.

    Args:
        query_dim: width of the decoder's state.
        key_dim: width of the keys.
        score: ``"dot"``, ``"general"``, ``"concat"`` or ``"location"``.
        hidden_dim: A, width of the hidden layer of ``concat``; ``query_dim`` if not given.
        max_length: how many keys ``location`` has rows for.
        normalise: how scores become weights.
    """

    v: nn.Parameter | None

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        score: ScoreName = "dot",
        *,
        hidden_dim: int | None = None,
        max_length: int | None = None,
        normalise: Normaliser | str = "softmax",
    ) -> None:
        super().__init__()
        require_sizes(self, query_dim=query_dim, key_dim=key_dim)
        self._check_choices(score, hidden_dim, max_length)
        self.query_dim, self.key_dim, self.normalise = query_dim, key_dim, normalise
        self.score_name = score
        self.query_proj, self.key_proj = nn.Identity(), nn.Identity()
        self.register_parameter("v", None)
        if score == "dot":
            self._require_one_width()
        elif score == "general":
            self.key_proj = nn.Linear(key_dim, query_dim, bias=False)
        elif score == "concat":
            self._add_hidden_layer(query_dim if hidden_dim is None else hidden_dim)
        elif max_length is not None:
            self.key_proj = PositionRows(max_length, query_dim)

    def score(self) -> Score:
        """An inner product, or vᵀ tanh of the sum."""
        return scores.Dot() if self.v is None else scores.Additive(self.v)

    def extra_repr(self) -> str:
        """Widths and score."""
        return f"{self.query_dim}, {self.key_dim}, score={self.score_name!r}"

    def _add_hidden_layer(self, width: int) -> None:
        require_sizes(self, hidden_dim=width)
        self.query_proj = nn.Linear(self.query_dim, width, bias=False)
        self.key_proj = nn.Linear(self.key_dim, width, bias=False)
        self.v = uniform(width, fan_in=width)

    def _require_one_width(self) -> None:
        if self.query_dim != self.key_dim:
            raise ShapeError(
                f"{type(self).__name__} needs query_dim = key_dim for the score 'dot', got "
                f"{self.query_dim} and {self.key_dim}; use 'general', which learns the map"
            )

    def _check_choices(self, score: str, hidden_dim: int | None, max_length: int | None) -> None:
        _NAMES[score]
        name = type(self).__name__
        if hidden_dim is not None and score != "concat":
            raise ChoiceError(
                f"{name} needs hidden_dim for the score 'concat' only, got it for {score!r}; "
                "leave it out"
            )
        if (max_length is not None) != (score == "location"):
            what = "leave it out" if max_length is not None else "pass the most keys there can be"
            raise ChoiceError(
                f"{name} needs max_length for the score 'location', and for no other, got "
                f"max_length={max_length} for {score!r}; {what}"
            )


class PositionRows(nn.Module):
    """One learned row per key position, in place of whatever stands there.

    Args:
        max_length: how many positions there are.
        width: length of a row.
    """

    def __init__(self, max_length: int, width: int) -> None:
        super().__init__()
        require_sizes(self, max_length=max_length, width=width)
        self.weight = uniform(max_length, width, fan_in=width)

    def forward(self, keys: Float[Tensor, "*B K Dk"]) -> Float[Tensor, "*B K D"]:
        """The first K rows, repeated without a copy."""
        longest, length = self.weight.shape[0], keys.shape[-2]
        if length > longest:
            raise ShapeError(
                f"location has rows for {longest} keys, got {length}; make the table longer with "
                "max_length, or cut the keys"
            )
        return self.weight[:length].expand(*keys.shape[:-2], -1, -1)


_NAMES: Registry[str] = Registry("score")
for _name in ("dot", "general", "concat", "location"):
    _NAMES.add(_name, _name)


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
