"""Hard attention in a model: what its loss needs, and that it can learn by it."""

import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from models.rnn.tiny import LOOKING, batch, made
from regard.nn import ReinforceLoss

SOFT = [name for name in LOOKING if "hard" not in name]


@pytest.mark.parametrize("feeding", [True, False])
def test_what_was_drawn_comes_with_its_probability_and_entropy(feeding):
    model = made("luong hard", input_feeding=feeding).train()
    source, lengths, target = batch()
    decoded = model.decode_parallel(source, lengths, target, aligned=True)
    weights, (log_prob, entropy, lasting) = decoded.weights, decoded.drawn
    assert lasting == feeding
    assert log_prob.shape == entropy.shape == (3, 5)
    assert_close(entropy, torch.special.entr(weights).sum(dim=-1))
    gap = (weights.log() - log_prob.unsqueeze(-1)).abs().amin(dim=-1)
    assert (gap < 1e-9).all(), "a probability of no position"


@pytest.mark.parametrize("estimator", ["straight_through", "gumbel"])
def test_estimators_whose_gradient_goes_through_the_context_need_no_more(estimator):
    model = made("luong hard", attention={"kind": "hard", "estimator": estimator}).train()
    source, lengths, target = batch()
    decoded = model.decode_parallel(source, lengths, target)
    assert decoded.drawn is None
    decoded.features.sum().backward()
    assert model.attention.key_proj.weight.grad.any()


def test_reinforce_reaches_the_scores_through_its_loss_alone():
    model, (source, lengths, target) = made("luong hard fed").train(), batch()
    decoded = model.decode_parallel(source, lengths, target)
    logits = model.output(decoded.features)
    reward = -cross_entropy(logits.transpose(1, 2), target, reduction="none")
    (-reward.mean()).backward(retain_graph=True)
    weight = model.attention.key_proj.weight
    assert weight.grad is None or not weight.grad.any()
    loss = ReinforceLoss()(
        reward=reward, log_prob=decoded.drawn.log_prob, entropy=decoded.drawn.entropy
    )
    loss.backward()
    assert weight.grad.any()


@pytest.mark.parametrize("name", SOFT[:3])
def test_models_that_draw_nothing_say_so(name):
    model, (source, lengths, target) = made(name), batch()
    assert model.decode_parallel(source, lengths, target).drawn is None
