"""How noisy the gradients of hard attention are."""

from collections.abc import Callable
from typing import NamedTuple

import torch

from regard.errors import ChoiceError, RangeError, ShapeError
from regard.functional.value import require_whole
from regard.types import Float, Tensor

from .hard import HardAttention
from .memory import Memory


class GradientMoments(NamedTuple):
    """Mean and variance of an estimated gradient, the variance summed over its entries."""

    mean: Float[Tensor, "*B Dq"]
    variance: Float[Tensor, "*B"]


def estimator_variance(
    attention: HardAttention,
    state: Float[Tensor, "*B Dq"],
    memory: Memory,
    reward: Callable[[Tensor], Tensor],
    *,
    draws: int = 1000,
    baseline: float = 0.0,
    generator: torch.Generator | None = None,
) -> GradientMoments:
    r"""Mean and variance of an estimator's gradient of the expected reward by the state.

    .. math:: \hat g = (r(\hat z) - b)\, \nabla \log p(s) \;(\text{reinforce}), \quad
              \hat g = \nabla r(\hat z) \;(\text{straight\_through, gumbel})

    For ``reinforce`` the mean tends to the exact gradient :math:`\nabla \sum_i \alpha_i r(a_i)`; a
    baseline changes only the variance. What the other two have less of variance they have in bias.

    >>> for name in ("reinforce", "straight_through", "gumbel"):
    ...     attention = HardAttention(5, 7, estimator=name)
    ...     print(name, estimator_variance(attention, state, attention.prepare(keys), reward))

    Args:
        attention: in training mode.
        state: one per sequence.
        memory: from ``attention.prepare``.
        reward: from contexts (*B, draws, E) to rewards (*B, draws).
        draws: how many keys are drawn, independently, per sequence.
        baseline: b of ``reinforce``.
        generator: where the randomness comes from.
    """
    _check(attention, draws)
    states = state.detach().unsqueeze(-2).repeat_interleave(draws, dim=-2).requires_grad_()
    with torch.enable_grad():
        choice = attention.samples(states, memory, generator=generator)
        rewards = reward(choice.context)
        if rewards.shape != choice.picked.shape:
            raise ShapeError(
                f"estimator_variance needs one reward per context, {tuple(choice.picked.shape)}, "
                f"got {tuple(rewards.shape)}"
            )
        gain = rewards
        if attention.estimator == "reinforce":
            gain = (rewards.detach() - baseline) * choice.log_prob
        (gradients,) = torch.autograd.grad(gain.sum(), states)  # (*B, draws, Dq)
    return GradientMoments(gradients.mean(dim=-2), gradients.var(dim=-2).sum(dim=-1))


def _check(attention: HardAttention, draws: int) -> None:
    require_whole("estimator_variance", "draws", draws)
    if draws < 2:
        raise RangeError(f"estimator_variance needs at least 2 draws, got {draws}")
    if not attention.training:
        raise ChoiceError(
            "estimator_variance needs an attention in training mode, since nothing is drawn in "
            "evaluation; call attention.train()"
        )
