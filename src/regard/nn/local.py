"""Local attention: a window of keys around one position."""

from dataclasses import replace
from typing import Unpack

import torch
from torch import nn

from regard.errors import ChoiceError, RangeError
from regard.functional import masks
from regard.functional.asked import Asked
from regard.functional.engine.call import full_precision
from regard.functional.masks import Padding
from regard.functional.tensors import broadcast_shapes, widened
from regard.functional.value import require_whole
from regard.functional.weigh import weigh
from regard.mechanism import mechanism
from regard.papers import LUONG_2015
from regard.types import Bool, Float, Int, Tensor

from .base import uniform
from .luong import ScoreChoices, ScoredAttention, ScoreName
from .memory import KeyMask, Memory
from .windows import WindowWeights, gather_windows, scatter_windows


@mechanism(
    "local-m",
    equation="k ∈ [t − D, t + D]",
    cost="O(Q D) for any K",
    paper=LUONG_2015,
    call="(predictive=False)",
)
@mechanism(
    "local-p",
    equation="p = S σ(v_pᵀ tanh(W_p h)),  αₖ exp(−(k − p)² / 2σ²)",
    cost="O(Q D) for any K",
    paper=LUONG_2015,
    call="(predictive=True)",
)
class LocalAttention(ScoredAttention):
    r"""A window of 2D + 1 keys around the current or around a predicted position.

    .. math:: a_t(s) = \text{align}(h_t, \bar h_s) \quad\text{for } |s - t| \le D
              \;(\text{local-m})
    .. math:: a_t(s) = \text{align}(h_t, \bar h_s) \exp\left(-\frac{(s - p_t)^2}{2\sigma^2}\right),
              \quad p_t = S \cdot \text{sigmoid}(v_p^\top \tanh(W_p h_t)), \quad \sigma = D/2
              \;(\text{local-p})

    ``align`` normalises the scores of the window's keys, and of no other. Luong, Pham and Manning
    2015, section 3.2, Eq. 9 and 10 (https://arxiv.org/abs/1508.04025). Theirs → ours: D →
    ``half_width``, W_p → ``position_proj``, v_p → ``position_v``; scores as in
    :class:`LuongAttention`. As in the paper the Gaussian multiplies weights that are normalised
    already, so those of *local-p* sum to less than one; and p_t is reached by the gradient through
    the Gaussian only, not through where the window lies. S is where each sequence ends.

    Positions count from 0. A window that crosses an end of the sequence is cut there; one that
    lies behind the end (*local-m* with a step t ≥ S + D) is empty, with zero weights and a zero
    context. Differs from the paper: the window of *local-p* lies around p_t rounded to a position.

    Only the window's keys are gathered and scored: O(D) of them per step, O(Q D) for Q steps at
    once, however long the sequence; the weights of one step are given over all keys.

    Args:
        query_dim: width of the decoder's state.
        key_dim: width of the keys.
        half_width: D, keys on each side of the centre.
        predictive: whether the centre is predicted (*local-p*) or is the step itself (*local-m*).
        score: ``"dot"``, ``"general"``, ``"concat"`` or ``"location"``.
        choices: ``hidden_dim``, ``max_length`` and ``normalise`` of :class:`LuongAttention`.
    """

    position_v: nn.Parameter | None

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        half_width: int,
        predictive: bool = False,
        score: ScoreName = "general",
        **choices: Unpack[ScoreChoices],
    ) -> None:
        super().__init__(query_dim, key_dim, score, **choices)
        _check_half_width(half_width, predictive)
        self.half_width, self.predictive = half_width, predictive
        self.position_proj = nn.Linear(query_dim, query_dim, bias=False) if predictive else None
        self.position_v = uniform(query_dim, fan_in=query_dim) if predictive else None

    def prepare(
        self,
        keys: Float[Tensor, "*B K Dk"],
        mask: KeyMask | None = None,
        *,
        values: Float[Tensor, "*Bv Kv E"] | None = None,
    ) -> Memory:
        """As every step attention; a mask that is not made of lengths is looked up here, once."""
        memory = super().prepare(keys, mask, values=values)
        if memory.mask is None:
            return memory
        memory.mask.check(tuple(keys.shape[:-2]), 1, keys.shape[-2])
        if isinstance(memory.mask, Padding):
            return memory
        return memory._replace(mask=masks.dense(memory.allowed().unsqueeze(-2)))  # (*B, 1, K)

    def forward(
        self,
        state: Float[Tensor, "*#B Dq"],
        memory: Memory | Float[Tensor, "*#B K Dk"],
        *,
        step: int | Int[Tensor, "*#B"] | None = None,
    ) -> tuple[Float[Tensor, "*B E"], Float[Tensor, "*B K"]]:
        """Context and weights of one state per sequence.

        Args:
            state: the decoder's current state.
            memory: from :meth:`prepare`, or keys.
            step: t, the position of the state, one or one per sequence; *local-m* needs it,
                *local-p* does not look at it.
        """
        memory = self.prepared(memory)
        self._check_states(state, memory, axes=1)
        if step is None and not self.predictive:
            raise ChoiceError(
                "LocalAttention needs the position of the state, since its centre is not "
                "predicted: pass step=t, or make it with predictive=True"
            )
        context, look = self._look(state.unsqueeze(-2), memory, 0 if step is None else step)
        self._notify(look)
        weights = look.weigh()  # (*B, 1, K)
        return context.squeeze(-2), weights.squeeze(-2)

    def contexts(
        self,
        states: Float[Tensor, "*#B Q Dq"],
        memory: Memory | Float[Tensor, "*#B K Dk"],
        *,
        step: int | Int[Tensor, "*#B"] = 0,
    ) -> Float[Tensor, "*B Q E"]:
        """The contexts of many states at once, the first of them at position ``step``."""
        memory = self.prepared(memory)
        self._check_states(states, memory)
        contexts, look = self._look(states, memory, step)
        self._notify(look)
        return contexts

    def extra_repr(self) -> str:
        """Widths, score and window."""
        window = f"half_width={self.half_width}, predictive={self.predictive}"
        return f"{super().extra_repr()}, {window}"

    def centres(
        self, states: Float[Tensor, "*#B Q Dq"], memory: Memory | Float[Tensor, "*#B K Dk"]
    ) -> Float[Tensor, "*B Q"]:
        """p, the predicted position of every state, from 0 to the end of its sequence.

        Raises:
            ChoiceError: nothing is predicted.
        """
        if self.position_proj is None or self.position_v is None:
            raise ChoiceError("LocalAttention predicts centres with predictive=True only")
        memory = self.prepared(memory)
        # In at least float32, under autocast too: a position may be a large number.
        with full_precision(states.device):
            weight, v = widened(self.position_proj.weight), widened(self.position_v)
            share = torch.tanh(widened(states) @ weight.mT) @ v  # (*B, Q)
            return memory.lengths().unsqueeze(-1) * share.sigmoid()

    def rate_groups(self) -> dict[str, list[nn.Parameter]]:
        """What predicts the centres, which may learn at a rate of its own; nothing in *local-m*."""
        named = self.named_parameters()
        own = [parameter for name, parameter in named if name.startswith("position_")]
        return {"window_centres": own} if own else {}

    def _look(
        self, states: Tensor, memory: Memory, step: int | Tensor
    ) -> tuple[Float[Tensor, "*B Q E"], WindowWeights]:
        """The contexts, and the windows they come from."""
        leading = broadcast_shapes(states.shape[:-2], memory.key.shape[:-2])
        num_keys = memory.key.shape[-2]
        if not num_keys:
            return _no_keys(states, memory, leading)
        predicted = self.centres(states, memory) if self.predictive else None
        positions = self._positions(states, step, predicted)  # (*B, Q, w)
        positions = positions.expand(*leading, *positions.shape[-2:])
        allowed, inside = _allowed(memory, positions), positions.clamp(0, num_keys - 1)
        key, value = (
            gather_windows(x.expand(*leading, *x.shape[-2:]), inside)
            for x in (memory.key, memory.value)
        )  # (*B, Q, w, ·)
        weights = weigh(
            self.project_states(states).unsqueeze(-2),
            key,
            score=self.score(),
            mask=masks.dense(allowed.unsqueeze(-2)),
            normalise=self.normalise,
        )  # (*B, Q, 1, w)
        if predicted is not None:
            weights = weights * self._closeness(positions, predicted).unsqueeze(-2).to(weights)
        weights, look = weights.squeeze(-2), WindowWeights(weights.squeeze(-2), inside, num_keys)
        if self.edits:
            context, look = self._edited(states, memory, look, allowed)
        else:
            context = (weights.unsqueeze(-2) @ value).squeeze(-2)  # (*B, Q, E)
        return context, replace(
            look, value=memory.value, context=context, kind=self.kind, training=self.training
        )

    def _edited(
        self, states: Tensor, memory: Memory, look: WindowWeights, allowed: Tensor
    ) -> tuple[Float[Tensor, "*B Q E"], WindowWeights]:
        """Contexts and weights after all edits.

        Rows that an edit computes anew are those of the window, without the Gaussian.
        """
        query, watchers = self.project_states(states), self.watchers
        reached = scatter_windows(allowed.to(query.dtype), look.positions, look.num_keys) > 0
        mask = masks.dense(reached)  # (*B, Q, K)
        asked = Asked(query, memory.key, memory.value, self.score(), mask, self.normalise)
        self.watchers = []  # what is told of this look is told by the caller
        try:
            context, weights = self.pooled(asked, look.weigh())
        finally:
            self.watchers = watchers
        everywhere = torch.arange(look.num_keys, device=weights.device).expand(weights.shape)
        return context, WindowWeights(weights, everywhere, look.num_keys)

    def _notify(self, look: WindowWeights) -> None:
        if self.watchers:
            value = None if look.value is None else look.value.detach()
            self.notify(replace(look, weights=look.weights.detach(), value=value))

    def _positions(
        self, states: Tensor, step: int | Tensor, predicted: Tensor | None
    ) -> Int[Tensor, "*B Q w"]:
        """The positions of every window, also those that no key has."""
        offsets = torch.arange(-self.half_width, self.half_width + 1, device=states.device)
        if predicted is not None:
            return predicted.detach().round().long().unsqueeze(-1) + offsets
        rows = torch.arange(states.shape[-2], device=states.device)
        centres = rows + _first(step)
        return centres.unsqueeze(-1) + offsets

    def _closeness(
        self, positions: Int[Tensor, "*B Q w"], centres: Float[Tensor, "*B Q"]
    ) -> Float[Tensor, "*B Q w"]:
        """The Gaussian of Eq. 10."""
        deviation = (positions - centres.unsqueeze(-1)) / (self.half_width / 2)
        return (deviation.square() * -0.5).exp()


def _allowed(memory: Memory, positions: Int[Tensor, "*B Q w"]) -> Bool[Tensor, "*B Q w"]:
    """Whether a position is inside its sequence, and may be looked at."""
    ends = memory.lengths()[..., None, None]
    inside = (positions >= 0) & (positions < ends)
    if memory.mask is None or isinstance(memory.mask, Padding):
        return inside
    allowed = memory.allowed().expand(*positions.shape[:-2], -1)
    near = positions.clamp(0, allowed.shape[-1] - 1).flatten(-2)  # (*B, Q w)
    return inside & allowed.gather(-1, near).unflatten(-1, positions.shape[-2:])


def _first(step: int | Tensor) -> int | Tensor:
    """The position of the first state, to be added to (*B, Q)."""
    if isinstance(step, Tensor):
        return step.unsqueeze(-1)
    require_whole("LocalAttention", "step", step)
    if step < 0:
        raise RangeError(f"LocalAttention needs a step of at least 0, got {step}")
    return step


def _no_keys(
    states: Tensor, memory: Memory, leading: tuple[int, ...]
) -> tuple[Tensor, WindowWeights]:
    """What is seen of a memory without keys."""
    zeros = states.new_zeros(*leading, states.shape[-2], 0)
    context = memory.value.new_zeros(*leading, states.shape[-2], memory.value.shape[-1])
    return context, WindowWeights(zeros, zeros.long(), 0)


def _check_half_width(half_width: int, predictive: bool) -> None:
    require_whole("LocalAttention", "half_width", half_width)
    least = 1 if predictive else 0
    if half_width < least:
        why = ", since half of it is the Gaussian's σ" if predictive else ""
        raise RangeError(
            f"LocalAttention needs half_width of at least {least}{why}, got {half_width}"
        )
