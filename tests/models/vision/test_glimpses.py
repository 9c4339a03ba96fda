"""Recurrent glimpses: the retina against loops, the walk, and the gradient of where to look."""

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from reference import regions as reference
from regard.models.vision import Glimpses, GlimpsesConfig
from regard.models.vision.glimpses import Walk, log_density
from regard.models.vision.walking import walk_loss
from regard.nn.vision import Retina


def tiny(**changes):
    fields = {
        "labels": 3,
        "height": 14,
        "width": 18,
        "num_glimpses": 4,
        "patch_size": 5,
        "scales": 2,
        "glimpse_dim": 10,
        "hidden_dim": 12,
    }
    return Glimpses(GlimpsesConfig(**{**fields, **changes}))


@pytest.mark.parametrize("place", [(0.0, 0.0), (-0.4, 0.7), (0.9, -1.0)])
def test_a_retina_sees_what_loops_see(place):
    pictures = torch.randn(1, 2, 8, 12, dtype=torch.float64)
    retina = Retina(5, 3)
    seen = retina(retina.levels(pictures), torch.tensor([place], dtype=torch.float64))
    assert seen.shape == (1, 3, 2, 5, 5)
    for channel in range(2):
        level = pictures[0, channel].numpy()
        for scale in range(3):
            height, width = level.shape
            centre = ((place[0] + 1) / 2 * width, (place[1] + 1) / 2 * height)
            expected = reference.patch(level.tolist(), centre, 5)
            assert_close(seen[0, scale, channel], torch.tensor(expected, dtype=torch.float64))
            if scale < 2:
                level = level.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))


def test_a_picture_with_odd_sides_is_seen_at_the_same_place_at_every_scale():
    picture = torch.zeros(1, 1, 15, 15)
    picture[0, 0, 7, 7] = 1.0
    retina = Retina(5, 2)
    seen = retina(retina.levels(picture), torch.zeros(1, 2))
    for scale in range(2):
        patch = seen[0, scale, 0]
        weights = patch / patch.sum()
        centre = (weights * torch.arange(5)).sum(), (weights.T * torch.arange(5)).sum()
        assert_close(torch.stack(centre), torch.tensor([2.0, 2.0]), atol=0.3, rtol=0)


def test_the_density_of_a_place_is_that_of_the_normal_distribution():
    place, mean = torch.tensor([[0.3, -0.2]]), torch.tensor([[0.1, 0.4]])
    expected = reference.log_normal((0.3, -0.2), (0.1, 0.4), 0.25)
    assert float(log_density(place, mean, 0.25)) == pytest.approx(expected, rel=1e-5)


def test_a_walk_begins_in_the_middle_and_stays_inside():
    model = tiny(deviation=2.0).train()
    walk = model.walk(torch.randint(0, 256, (7, 3, 14, 18), dtype=torch.uint8))
    assert walk.places.shape == (7, 4, 2)
    assert bool((walk.places[:, 0] == 0).all())
    assert float(walk.places.abs().max()) <= 1.0
    assert walk.logits.shape == (7, 3)


def test_places_are_drawn_in_training_alone():
    model, pixels = tiny(), torch.randint(0, 256, (2, 3, 14, 18), dtype=torch.uint8)
    assert not torch.equal(model.train().walk(pixels).places, model.walk(pixels).places)
    model.eval()
    assert torch.equal(model.walk(pixels).places, model.walk(pixels).places)
    assert_close(model(pixels), model.walk(pixels).logits)


@pytest.mark.parametrize("features", ["linear", "convolution"])
@pytest.mark.parametrize("cell", ["rnn", "gru"])
def test_only_the_reward_teaches_where_to_look(features, cell):
    model = tiny(features=features, cell=cell).train()
    walk = model.walk(torch.randint(0, 256, (5, 3, 14, 18), dtype=torch.uint8))
    loss = walk_loss(walk, torch.tensor([0, 1, 2, 0, 1]))
    (own,) = torch.autograd.grad(
        loss.nll, model.place_proj.weight, retain_graph=True, allow_unused=True
    )
    assert own is None
    loss.reinforce.backward(retain_graph=True)
    assert float(model.place_proj.weight.grad.abs().sum()) > 0
    assert all(one.grad is None for one in model.core.parameters())
    loss.total.backward()
    assert all(one.grad is not None for one in model.parameters())


def test_the_loss_is_that_of_its_definition():
    logits = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
    log_probs = torch.tensor([[0.0, -1.0, -2.0], [0.0, -3.0, 0.5]])
    baselines = torch.tensor([[0.0, 0.25, 0.5], [0.0, 0.5, 0.0]], requires_grad=True)
    told = torch.stack([torch.zeros(2, 2), torch.zeros(2, 2), logits], dim=1)
    walk = Walk(told, torch.zeros(2, 3, 2), log_probs, baselines)
    loss = walk_loss(walk, torch.tensor([0, 0]))  # the first is right, the second is not
    expected = np.log1p(np.exp(-2.0)) + np.log1p(np.exp(1.0))
    assert float(loss.nll) == pytest.approx(expected, rel=1e-5)
    assert loss.reinforce.item() == pytest.approx(0.75 * 1 + 0.5 * 2 - 0.5 * 3 + 0.0)
    assert loss.baseline.item() == pytest.approx(0.75**2 + 0.5**2 + 0.5**2)
    assert float(loss.reward) == 1
    (gradient,) = torch.autograd.grad(loss.total, baselines)
    assert gradient[:, 0].tolist() == [0, 0]
    every = walk_loss(walk, torch.tensor([0, 0]), supervised="every")
    assert float(every.nll) == pytest.approx((4 * np.log(2) + expected) / 3, rel=1e-5)
    assert float(every.reward) == 1
    counted = walk_loss(walk, torch.tensor([0, 0]), counted=torch.tensor([0.0, 1.0]))
    assert float(counted.reward) == 0


def test_reinforce_estimates_the_gradient_of_the_expected_reward():
    """Where the reward is 1 on one side and 0 on the other, its mean gradient is known."""
    torch.manual_seed(0)
    deviation, draws = 0.5, 200_000
    mean = torch.zeros(draws, 2, requires_grad=True)
    places = (deviation * torch.randn(draws, 2)).detach()
    log_probs = torch.stack([torch.zeros(draws), log_density(places, mean, deviation)], dim=1)
    right = places[:, 0] > 0
    logits = torch.stack([right.float(), 1 - right.float()], dim=1)
    walk = Walk(
        logits[:, None], places[:, None].expand(-1, 2, -1), log_probs, torch.full((draws, 2), 0.5)
    )
    loss = walk_loss(walk, torch.zeros(draws, dtype=torch.long))
    (gradient,) = torch.autograd.grad(loss.reinforce, mean)
    # d/dm P(x > 0) = density of the normal at 0, over its deviation.
    expected = 1 / (deviation * np.sqrt(2 * np.pi))
    assert float(-gradient[:, 0].mean()) == pytest.approx(expected, rel=0.03)
    assert abs(float(gradient[:, 1].mean())) < 0.02
