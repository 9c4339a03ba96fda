"""The chunked loss is torch's cross entropy, in value and gradient."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from regard.errors import RangeError, ShapeError
from regard.models.embedding import TokenEmbedding
from regard.models.output import Unembedding
from regard.training import cross_entropy as module
from regard.training.cross_entropy import smoothed_cross_entropy

ROWS, WIDTH, VOCAB = 7, 3, 5


class Doubled(nn.Linear):
    """An output layer that is more than a linear map."""

    def forward(self, x):
        """Twice the logits."""
        return 2 * super().forward(x)


@pytest.fixture
def features():
    generator = torch.Generator().manual_seed(3)
    return torch.randn(ROWS, WIDTH, generator=generator, dtype=torch.float64, requires_grad=True)


@pytest.fixture
def targets():
    return torch.tensor([4, 0, 2, 2, 1, 3, 0])


@pytest.fixture(params=[1, 2 * VOCAB, 3 * VOCAB + 1, 2**22], ids=["1", "2", "3", "all"])
def chunk(request, monkeypatch):
    """Logits at once: for one row, two, three, or for all rows."""
    monkeypatch.setattr(module, "LOGITS_AT_ONCE", request.param)


def layer(kind=nn.Linear, *, bias=True, seed=5):
    """An output layer with drawn parameters."""
    made = kind(WIDTH, VOCAB, bias=bias).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_(generator=generator)
    return made


def gradients(loss, inputs):
    return torch.autograd.grad(loss, inputs, retain_graph=True)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no-bias"])
def test_it_is_torchs_cross_entropy_in_value_and_gradient(features, targets, smoothing, bias):
    output = layer(bias=bias)
    inputs = [features, *output.parameters()]
    expected = cross_entropy(output(features), targets, label_smoothing=smoothing, reduction="sum")
    losses = smoothed_cross_entropy(features, targets, output, smoothing=smoothing)
    assert_close(losses.smoothed, expected)
    assert_close(losses.nll, cross_entropy(output(features), targets, reduction="sum").detach())
    assert_close(gradients(losses.smoothed, inputs), gradients(expected, inputs))


@pytest.mark.usefixtures("chunk")
def test_gradients_are_those_of_finite_differences(features, targets):
    output = layer()

    def loss(x, weight, bias):
        arguments = (x, weight, bias, targets, 0.2, True)
        return module._Chunked.apply(*arguments)[0] / 3

    assert torch.autograd.gradcheck(loss, (features, output.weight, output.bias))


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_single_precision_is_as_good_as_torchs(features, targets, scale):
    exact, single = layer(), layer().float()
    inputs = (scale * features.detach()).requires_grad_()
    rounded = inputs.detach().float().requires_grad_()
    expected = cross_entropy(exact(inputs), targets, label_smoothing=0.1, reduction="sum")
    losses = smoothed_cross_entropy(rounded, targets, single, smoothing=0.1)
    assert_close(losses.smoothed.double(), expected, rtol=1e-5, atol=1e-5)
    (found,), (needed,) = gradients(losses.smoothed, [rounded]), gradients(expected, [inputs])
    assert_close(found.double(), needed, rtol=1e-4, atol=1e-5)


def test_padding_does_not_count_and_gets_no_gradient(features, targets):
    output = layer()
    padded = torch.stack([features, features.detach()]).requires_grad_()
    said = torch.stack([targets, torch.zeros_like(targets)])
    losses = smoothed_cross_entropy(padded, said, output, smoothing=0.1, pad=0)
    keep = said.ne(0)
    expected = cross_entropy(output(padded[keep]), said[keep], label_smoothing=0.1, reduction="sum")
    assert_close(losses.smoothed, expected)
    (found,), (needed,) = gradients(losses.smoothed, [padded]), gradients(expected, [padded])
    assert_close(found, needed)
    assert found[~keep].eq(0).all() and found[keep].ne(0).any()


def test_nothing_but_padding_is_no_loss_and_no_gradient(features):
    output = layer()
    losses = smoothed_cross_entropy(
        features, torch.zeros(ROWS, dtype=torch.long), output, smoothing=0.1, pad=0
    )
    assert losses.smoothed == losses.nll == 0
    for gradient in gradients(losses.smoothed, [features, *output.parameters()]):
        assert gradient.eq(0).all()


@pytest.mark.parametrize("width", [WIDTH, WIDTH + 1], ids=["same", "bridged"])
def test_a_tied_output_layer_teaches_the_embedding(targets, width):
    embedding = TokenEmbedding(VOCAB, WIDTH, pad=0)
    output = Unembedding(width, VOCAB, tied_to=embedding)
    features = torch.randn(ROWS, width, generator=torch.Generator().manual_seed(7))
    inputs = [features.requires_grad_(), *output.parameters()]
    assert any(parameter is embedding.weight for parameter in output.parameters())
    expected = cross_entropy(output(features), targets, label_smoothing=0.1, reduction="sum")
    losses = smoothed_cross_entropy(features, targets, output, smoothing=0.1)
    assert_close(losses.smoothed, expected)
    assert_close(gradients(losses.smoothed, inputs), gradients(expected, inputs))


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_an_output_layer_that_is_no_linear_map_gives_all_logits_at_once(
    features, targets, smoothing
):
    output = layer(Doubled)
    inputs = [features, *output.parameters()]
    expected = cross_entropy(output(features), targets, label_smoothing=smoothing, reduction="sum")
    losses = smoothed_cross_entropy(features, targets, output, smoothing=smoothing)
    assert_close(losses.smoothed, expected)
    assert_close(losses.nll, cross_entropy(output(features), targets, reduction="sum").detach())
    assert_close(gradients(losses.smoothed, inputs), gradients(expected, inputs))


def test_a_hook_on_the_output_layer_is_heard(features, targets):
    output, heard = layer(), []
    output.register_forward_hook(lambda *call: heard.append(call[-1].shape))
    smoothed_cross_entropy(features, targets, output)
    assert heard == [(ROWS, VOCAB)]


def test_a_frozen_layer_gets_no_gradient(features, targets):
    output = layer().requires_grad_(False)
    smoothed_cross_entropy(features, targets, output).smoothed.backward()
    assert features.grad is not None and output.weight.grad is None


def test_without_gradients_the_value_is_the_same(features, targets):
    output = layer()
    learning = smoothed_cross_entropy(features, targets, output, smoothing=0.1)
    with torch.no_grad():
        silent = smoothed_cross_entropy(features, targets, output, smoothing=0.1)
    assert silent.smoothed == learning.smoothed and not silent.smoothed.requires_grad
    assert learning.smoothed.requires_grad and not learning.nll.requires_grad


def test_a_second_backward_pass_gives_the_same_gradients(features, targets):
    loss = 0.5 * smoothed_cross_entropy(features, targets, layer(), smoothing=0.1).smoothed
    assert_close(gradients(loss, [features]), gradients(loss, [features]), rtol=0, atol=0)


def test_what_does_not_fit_is_refused(features, targets):
    with pytest.raises(ShapeError, match="one target for each vector of features, got features"):
        smoothed_cross_entropy(features, targets[:-1], layer())
    with pytest.raises(RangeError, match=r"needs smoothing from 0 to 1, got 1\.5"):
        smoothed_cross_entropy(features, targets, layer(), smoothing=1.5)


@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no-bias"])
def test_it_has_the_second_derivatives_of_finite_differences(features, targets, bias):
    output = layer(bias=bias)

    def loss(features, *parameters):
        named = dict(zip(("weight", "bias"), parameters, strict=False))
        functional = nn.Linear(WIDTH, VOCAB, bias=bias).double()
        for name, each in named.items():
            delattr(functional, name)
            setattr(functional, name, each)
        return smoothed_cross_entropy(features, targets, functional, smoothing=0.1).smoothed

    assert torch.autograd.gradgradcheck(loss, (features, *output.parameters()))


def test_torch_func_takes_its_gradient(features, targets):
    output = layer()

    def loss(features):
        return smoothed_cross_entropy(features, targets, output, smoothing=0.1).smoothed

    (expected,) = gradients(loss(features), features)
    assert_close(torch.func.grad(loss)(features.detach()), expected)
