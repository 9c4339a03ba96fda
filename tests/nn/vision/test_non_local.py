"""Non-local blocks against loops, in all versions, and the promise to start as the identity."""

import pytest
import torch
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import vision as reference
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.lens import capture
from regard.nn.vision import NonLocal

VERSIONS = ["embedded_gaussian", "gaussian", "dot", "concat"]
every_version = pytest.mark.parametrize("pairwise", VERSIONS)


def expected_of(module, features, windows):
    """The loops, for positions in the order in which memory holds them."""
    rows = []
    for one in features.flatten(2).mT.tolist():
        rows.append(reference.non_local(parameters(module), module.pairwise, one, windows))
    return torch.tensor(rows, dtype=torch.float64).mT.reshape(features.shape)


@every_version
@pytest.mark.parametrize(
    ("dims", "shape"), [(1, (2, 5, 7)), (2, (2, 5, 2, 3)), (3, (1, 5, 2, 1, 3))]
)
def test_every_version_equals_the_loops_in_one_two_and_three_dimensions(pairwise, dims, shape):
    module = randomised(NonLocal(5, dims=dims, pairwise=pairwise, hidden_channels=3))
    features = draw(*shape)
    windows = [[j] for j in range(features[0, 0].numel())]
    assert_close(module(features), expected_of(module, features, windows))


@every_version
def test_a_subsampled_block_equals_the_loops_over_windows(pairwise):
    module = randomised(NonLocal(5, pairwise=pairwise, hidden_channels=3, subsample=2))
    features = draw(2, 5, 3, 4)
    windows = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9], [10, 11]]
    assert_close(module(features), expected_of(module, features, windows))


@every_version
@pytest.mark.parametrize("norm", ["none", "batch"])
@pytest.mark.parametrize("training", [True, False])
def test_a_new_block_is_the_identity_and_can_leave_it(pairwise, norm, training):
    module = NonLocal(6, pairwise=pairwise, norm=norm).double().train(training)
    features = draw(2, 6, 3, 5)
    found = module(features)
    assert torch.equal(found, features)
    found.square().sum().backward()
    last = module.norm if norm == "batch" else module.output_proj
    assert last.weight.grad.abs().max() > 0


def test_batch_norm_stands_between_the_projection_and_the_sum():
    module = randomised(NonLocal(6, norm="batch"))
    plain = NonLocal(6).double()
    own = {name: x for name, x in module.state_dict().items() if not name.startswith("norm.")}
    plain.load_state_dict(own)
    features = draw(2, 6, 3, 5)
    found = plain(features) - features
    norm = module.norm
    mean, variance, weight, bias = (
        x.view(6, 1, 1) for x in (norm.running_mean, norm.running_var, norm.weight, norm.bias)
    )
    expected = (found - mean) / (variance + 1e-5).sqrt() * weight + bias
    assert_close(module(features), features + expected)


@pytest.mark.parametrize(("channels", "hidden"), [(6, 3), (7, 3), (1, 1)])
def test_half_of_the_channels_are_hidden_unless_told(channels, hidden):
    assert NonLocal(channels).value_proj.out_features == hidden


@every_version
def test_positions_in_another_order_come_out_in_that_order(pairwise):
    module = randomised(NonLocal(6, dims=1, pairwise=pairwise))
    features, order = draw(2, 6, 7), torch.randperm(7)
    assert_close(module(features[..., order]), module(features)[..., order])


@every_version
@pytest.mark.parametrize("subsample", [1, 2])
def test_padding_is_as_if_it_were_not_there(pairwise, subsample):
    module = randomised(NonLocal(6, dims=1, pairwise=pairwise, subsample=subsample))
    features = draw(2, 6, 8)
    padded = features.clone()
    padded[1, :, 3:] = 7.0
    found = module(padded, torch.tensor([8, 3]))
    assert_close(found[:1], module(features[:1]))
    assert_close(found[1:, :, :3], module(features[1:, :, :3]))
    allowed = torch.arange(8) < torch.tensor([[8], [3]])
    assert torch.equal(module(padded, allowed), found)


@every_version
def test_with_nothing_to_look_at_only_the_bias_is_added(pairwise):
    module = randomised(NonLocal(6, dims=1, pairwise=pairwise, subsample=2))
    features = draw(2, 6, 7).requires_grad_()
    found = module(features, torch.tensor([0, 5]))
    assert_close(found[0], features[0] + module.output_proj.bias.unsqueeze(-1))
    (gradient,) = torch.autograd.grad(found.sum(), features)
    assert_close(gradient[0], torch.ones_like(gradient[0]))
    assert gradient.isfinite().all()


@pytest.mark.parametrize("pairwise", ["embedded_gaussian", "gaussian"])
def test_the_weights_of_the_gaussian_versions_are_a_distribution(pairwise):
    module = randomised(NonLocal(6, dims=1, pairwise=pairwise))
    with capture(module) as record:
        module(draw(2, 6, 7), torch.tensor([7, 4]))
    weights = record[""].weights
    assert (weights >= 0).all()
    assert not weights[1, :, 4:].any()
    assert_close(weights.sum(-1), torch.ones(2, 7, dtype=torch.float64))


@every_version
def test_a_large_map_that_is_streamed_or_fused_equals_the_small_ones(pairwise):
    """Positions enough for another path of the engine; each query's row stays what it is."""
    module = randomised(NonLocal(4, dims=1, pairwise=pairwise, hidden_channels=2)).eval()
    features = draw(1, 4, 600).requires_grad_()
    found = module(features)
    with capture(module) as record:
        module(features)
    tokens = features.flatten(2).mT
    pooled = record[""].weights @ module.value_proj(tokens)
    expected = features + module.output_proj(pooled).mT
    assert_close(found, expected)
    assert torch.autograd.grad(found.sum(), features)[0].isfinite().all()


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    with pytest.raises(ChoiceError, match=r"unknown pairwise 'dott'\. Known: concat, dot, emb"):
        NonLocal(6, pairwise="dott")
    with pytest.raises(ChoiceError, match=r"unknown norm 'layer'\. Known: batch, none\."):
        NonLocal(6, norm="layer")
    with pytest.raises(RangeError, match="NonLocal needs hidden_channels of at least 1, got 0"):
        NonLocal(6, hidden_channels=0)
    with pytest.raises(
        ShapeError, match=r"NonLocal needs .* 6 channels .* 2 axes, got \(2, 6, 5\)"
    ):
        NonLocal(6)(torch.zeros(2, 6, 5))
    with pytest.raises(ShapeError, match=r"one for each of 2 axes, got \(1, 2, 2\)"):
        NonLocal(6, subsample=(1, 2, 2))
