"""What hard attention is trained with, and how noisy its gradients are."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn

from regard.errors import ChoiceError, RangeError, ShapeError
from regard.functional.value import require_whole
from regard.types import Float, Tensor

from .hard import HardAttention
from .memory import Memory


class MovingBaseline(nn.Module):
    r"""A moving average of the reward, so that only what is better or worse than usual counts.

    .. math:: b_k = 0.9\, b_{k-1} + 0.1\, r_k

    Xu et al. 2015, section 4.1 (https://arxiv.org/abs/1502.03044). Theirs → ours: b → ``value``,
    0.9 → ``decay``; r is the mean reward of the batch. It changes when :meth:`update` is called,
    and never else; ``value`` is part of the state dict.

    Args:
        decay: how much of the old average stays.
        start: b_0.
    """

    value: Tensor

    def __init__(self, decay: float = 0.9, *, start: float = 0.0) -> None:
        super().__init__()
        if not 0 <= decay < 1:
            raise RangeError(f"MovingBaseline needs decay of at least 0 and below 1, got {decay}")
        self.decay = decay
        self.register_buffer("value", torch.tensor(float(start)))

    @torch.no_grad()
    def update(self, reward: Float[Tensor, "*B"]) -> None:
        """Take the rewards of one more batch into the average."""
        mean = reward.mean().to(self.value)
        self.value.copy_(self.decay * self.value + (1 - self.decay) * mean)

    def extra_repr(self) -> str:
        """The decay."""
        return f"decay={self.decay}"


class ReinforceLoss(nn.Module):
    r"""The loss whose gradient is REINFORCE's for the choices of :class:`HardAttention`.

    .. math:: \mathcal L = -\frac1N \sum_n \left[ \lambda_r (r_n - b) \log p(s_n)
              + \lambda_e H(s_n) \right]

    Xu et al. 2015, section 4.1 (https://arxiv.org/abs/1502.03044). Theirs → ours: λ_r →
    ``reward_weight``, λ_e → ``entropy_weight``, log p(y | s, a) → ``reward``. No gradient flows
    into reward and baseline. The other term of their gradient, that of log p(y | s, a) itself, is
    the loss a model has anyway: add this one to it.

    It is unbiased where the reward of a choice holds all that the choice changes. Where later steps
    see what was chosen, as with input feeding, that is the logarithm of the probability of its
    token and of all behind it: ``reward.flip(-1).cumsum(-1).flip(-1)``. The baseline may be
    anything that does not depend on the choice.

    >>> choice = attention.sample(state, memory)
    >>> reward = log_likelihood(choice.context)
    >>> surrogate = loss(
    ...     reward=reward, log_prob=choice.log_prob, entropy=choice.entropy, baseline=baseline.value
    ... )
    >>> (surrogate - reward.mean()).backward()
    >>> baseline.update(reward)

    Args:
        reward_weight: λ_r.
        entropy_weight: λ_e; what is positive keeps the distribution from settling too early.
    """

    def __init__(self, *, reward_weight: float = 1.0, entropy_weight: float = 0.0) -> None:
        super().__init__()
        self.reward_weight, self.entropy_weight = reward_weight, entropy_weight

    def forward(
        self,
        *,
        reward: Float[Tensor, "*R"],
        log_prob: Float[Tensor, "*B"],
        entropy: Float[Tensor, "*H"],
        baseline: float | Float[Tensor, ""] = 0.0,
    ) -> Float[Tensor, ""]:
        """The mean over the batch, to be minimised.

        Args:
            reward: one number per choice, or per sequence of choices.
            log_prob: of the choices; where a reward is for many steps, summed over them.
            entropy: likewise.
            baseline: what reward is usual, e.g. ``MovingBaseline.value``.

        Raises:
            ShapeError: not one ``log_prob`` and one ``entropy`` per reward.
        """
        if not reward.shape == log_prob.shape == entropy.shape:
            raise ShapeError(
                "ReinforceLoss needs reward, log_prob and entropy of one shape, got "
                f"{tuple(reward.shape)}, {tuple(log_prob.shape)} and {tuple(entropy.shape)}; "
                "sum log_prob and entropy over the steps that share a reward"
            )
        advantage = (reward - baseline).detach()
        gain = self.reward_weight * advantage * log_prob + self.entropy_weight * entropy
        return -gain.mean()

    def extra_repr(self) -> str:
        """Both weights."""
        return f"reward_weight={self.reward_weight}, entropy_weight={self.entropy_weight}"


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
