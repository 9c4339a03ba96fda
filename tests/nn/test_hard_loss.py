"""The loss of hard attention, and the baseline it is measured against."""

import copy

import jaxtyping
import pytest
import torch
from torch.testing import assert_close

from reference import decoder_attention as reference
from regard.errors import RangeError, ShapeError
from regard.nn import HardAttention, MovingBaseline, ReinforceLoss

REWARD = torch.tensor([1.5, -0.5, 2.0], dtype=torch.double)
LOG_PROB = torch.tensor([-0.3, -1.7, -0.9], dtype=torch.double)
ENTROPY = torch.tensor([0.4, 1.1, 0.6], dtype=torch.double)


def test_the_loss_is_that_of_the_equation():
    loss = ReinforceLoss(reward_weight=0.7, entropy_weight=0.2)
    found = loss(reward=REWARD, log_prob=LOG_PROB, entropy=ENTROPY, baseline=0.25)
    lists = (x.tolist() for x in (REWARD, LOG_PROB, ENTROPY))
    assert_close(found.item(), reference.reinforce_loss(*lists, 0.25, 0.7, 0.2))


def test_gradients_reach_log_prob_and_entropy_and_nothing_else():
    inputs = [x.clone().requires_grad_() for x in (REWARD, LOG_PROB, ENTROPY)]
    baseline = torch.tensor(0.25, dtype=torch.double, requires_grad=True)
    reward, log_prob, entropy = inputs
    loss = ReinforceLoss(reward_weight=0.7, entropy_weight=0.2)
    loss(reward=reward, log_prob=log_prob, entropy=entropy, baseline=baseline).backward()
    assert_close(log_prob.grad, -0.7 * (REWARD - 0.25) / 3)
    assert_close(entropy.grad, torch.full_like(ENTROPY, -0.2 / 3))
    assert reward.grad is None
    assert baseline.grad is None


def test_the_baseline_moves_a_tenth_of_the_way():
    baseline = MovingBaseline().double()
    baseline.update(torch.tensor([2.0, 4.0]))
    assert_close(baseline.value.item(), 0.1 * 3.0)
    baseline.update(torch.tensor([-1.0]))
    assert_close(baseline.value.item(), 0.9 * 0.3 + 0.1 * -1.0)


def test_the_baseline_moves_only_when_told():
    baseline = MovingBaseline(0.5, start=1.0)
    loss = ReinforceLoss()
    loss(reward=REWARD, log_prob=LOG_PROB, entropy=ENTROPY, baseline=baseline.value)
    assert baseline.value.item() == 1.0
    baseline.update(torch.tensor([2.0]))
    assert baseline.value.item() == 1.5


def test_the_baseline_keeps_no_graph_and_travels_with_the_state():
    baseline = MovingBaseline()
    baseline.update(torch.tensor([2.0, 4.0], requires_grad=True))
    assert not baseline.value.requires_grad
    loaded = MovingBaseline()
    loaded.load_state_dict(baseline.state_dict())
    assert loaded.value.item() == copy.deepcopy(baseline).value.item() == baseline.value.item()


def test_hard_attention_learns_where_the_reward_is():
    attention = HardAttention(3, 5, score="general").double()
    baseline, loss = MovingBaseline(), ReinforceLoss(entropy_weight=0.01)
    state, keys = torch.randn(64, 3).double(), torch.randn(1, 4, 5).double()
    worth = torch.tensor([0.0, 0.0, 1.0, 0.0], dtype=torch.double)
    state = state.abs()  # so that one direction of the scores suits all states
    optimiser = torch.optim.Adam(attention.parameters(), lr=0.2)
    for _ in range(40):
        choice = attention.sample(state, attention.prepare(keys, values=worth[None, :, None]))
        reward = choice.context.squeeze(-1)
        value = loss(
            reward=reward,
            log_prob=choice.log_prob,
            entropy=choice.entropy,
            baseline=baseline.value,
        )
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        baseline.update(reward)
    assert choice.weights[:, 2].mean() > 0.9
    assert baseline.value > 0.8


@pytest.mark.parametrize("decay", [-0.1, 1.0])
def test_a_decay_that_does_not_forget_is_refused(decay):
    with pytest.raises(RangeError, match="MovingBaseline needs decay of at least 0 and below 1"):
        MovingBaseline(decay)


def test_rewards_for_steps_that_were_not_summed_are_refused(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    with pytest.raises(ShapeError, match="sum log_prob and entropy over the steps that share"):
        ReinforceLoss()(reward=REWARD, log_prob=LOG_PROB.expand(2, 3), entropy=ENTROPY)
