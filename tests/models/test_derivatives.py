"""Models under torch.func, and their second derivatives, kernels or not."""

import pytest
import torch
from torch.func import functional_call, grad
from torch.testing import assert_close

from regard.models import build

SIZES = {
    "bahdanau-small": {
        "embedding_dim": 5,
        "hidden_dim": 8,
        "attention_dim": 7,
        "readout_dim": 9,
    },
    "luong-general-small": {"embedding_dim": 5, "hidden_dim": 8},
    "transformer-tiny": {"model_dim": 8, "num_heads": 2, "hidden_dim": 12},
    "convs2s-small": {"embedding_dim": 5, "hidden_dim": 8},
}


def batch():
    """Sources (3, 6) of different lengths, and targets (3, 5)."""
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(4, 11, (3, 6), generator=generator)
    target = torch.randint(4, 13, (3, 5), generator=generator)
    return source, torch.tensor([6, 4, 1]), target


def loss_of(name, dtype):
    """A model, and its loss as a function of its parameters."""
    torch.manual_seed(1)
    made = build(name, source_vocab=11, target_vocab=13, **SIZES[name]).to(dtype).eval()

    def loss(parameters):
        return functional_call(made, parameters, batch()).square().mean()

    return made, loss


@pytest.mark.parametrize("name", SIZES)
def test_gradients_by_torch_func_are_those_of_autograd(name):
    model, loss = loss_of(name, torch.float32)
    parameters = dict(model.named_parameters())
    expected = torch.autograd.grad(loss(parameters), list(parameters.values()))
    found = grad(loss)({key: each.detach() for key, each in parameters.items()})
    assert_close(list(found.values()), list(expected), rtol=1e-4, atol=1e-6)


# ConvS2S fades gradients on purpose, so that they are those of no function.
@pytest.mark.parametrize("name", [name for name in SIZES if name != "convs2s-small"])
def test_second_derivatives_are_those_of_differences_of_gradients(name):
    model, loss = loss_of(name, torch.float64)
    parameters = dict(model.named_parameters())
    leaves = list(parameters.values())
    along = [torch.randn_like(each) for each in leaves]

    def gradient(step):
        moved = {
            key: (each.detach() + step * way).requires_grad_()
            for (key, each), way in zip(parameters.items(), along, strict=True)
        }
        return torch.autograd.grad(loss(moved), list(moved.values()))

    pairs = zip(gradient(1e-7), gradient(-1e-7), strict=True)
    expected = [(up - down) / 2e-7 for up, down in pairs]
    first = torch.autograd.grad(loss(parameters), leaves, create_graph=True)
    dot = sum((each * way).sum() for each, way in zip(first, along, strict=True))
    for found, wanted in zip(torch.autograd.grad(dot, leaves), expected, strict=True):
        assert (found - wanted).norm() <= 1e-5 * (1 + wanted.norm())
