import math

import pytest
import torch
from torch.testing import assert_close

from regard.models.transformer.feed_forward import FeedForward


def relu(values):
    return [max(0.0, value) for value in values]


def gelu(values):
    return [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in values]


def swiglu(values):
    half = len(values) // 2
    gates = [value / (1 + math.exp(-value)) for value in values[:half]]
    return [gate * value for gate, value in zip(gates, values[half:], strict=True)]


def applied(linear, values):
    rows = zip(linear.weight.tolist(), linear.bias.tolist(), strict=True)
    return [sum(w * x for w, x in zip(row, values, strict=True)) + bias for row, bias in rows]


@pytest.mark.parametrize("function", [relu, gelu, swiglu])
def test_the_output_is_that_of_a_plain_python_reference(function):
    layer = FeedForward(model_dim=3, hidden_dim=5, activation=function.__name__).double()
    x = torch.randn(2, 7, 3, dtype=torch.float64)
    expected = [
        [applied(layer.output_proj, function(applied(layer.input_proj, v))) for v in row]
        for row in x.tolist()
    ]
    assert_close(layer(x), torch.tensor(expected, dtype=torch.float64))
    assert torch.autograd.gradcheck(layer, x.requires_grad_())


def test_hidden_features_are_dropped_in_training_only():
    layer = FeedForward(model_dim=3, hidden_dim=5, dropout=0.5)
    x = torch.randn(11, 3)
    assert not torch.equal(layer(x), layer(x))
    assert torch.equal(layer.eval()(x), layer(x))
