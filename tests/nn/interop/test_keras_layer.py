"""Weights in keras' shapes, and the keras layer itself where it is installed."""

import os

import pytest
import torch
from torch.testing import assert_close

from regard.errors import ChoiceError, ShapeError
from regard.nn import MultiHeadAttention
from regard.nn.interop import from_keras, to_keras

BATCH, QUERIES, KEYS, MODEL, HEADS, HEAD = 2, 5, 7, 12, 6, 2


def kernels(key_heads=HEADS, bias=True):
    sizes = {"query": HEADS, "key": key_heads, "value": key_heads}
    weights = {f"{name}/kernel": torch.randn(MODEL, n, HEAD) for name, n in sizes.items()}
    weights["attention_output/kernel"] = torch.randn(HEADS, HEAD, 11)
    if bias:
        weights |= {f"{name}/bias": torch.randn(n, HEAD) for name, n in sizes.items()}
        weights["attention_output/bias"] = torch.randn(11)
    return weights


def by_einsum(w, x, memory):
    def into(name, rows):
        projected = torch.einsum("bnm,mhd->bhnd", rows, w[f"{name}/kernel"])
        bias = w.get(f"{name}/bias")
        return projected if bias is None else projected + bias.unsqueeze(1)

    query, key, value = into("query", x), into("key", memory), into("value", memory)
    groups = query.shape[1] // key.shape[1]
    key, value = (part.repeat_interleave(groups, dim=1) for part in (key, value))
    weights = torch.softmax(query @ key.mT / HEAD**0.5, dim=-1)
    output = torch.einsum("bhqd,hdo->bqo", weights @ value, w["attention_output/kernel"])
    return output + w.get("attention_output/bias", 0.0)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("key_heads", [6, 2])
def test_kernels_per_head_become_rows(key_heads, bias):
    weights = kernels(key_heads, bias)
    attention = from_keras({f"model/layer/{name}": x for name, x in weights.items()})
    x, memory = torch.randn(BATCH, QUERIES, MODEL), torch.randn(BATCH, KEYS, MODEL)
    assert attention.num_key_heads == key_heads
    assert_close(attention(x, memory), by_einsum(weights, x, memory), atol=1e-4, rtol=1e-4)
    back = to_keras(attention)
    assert back.keys() == weights.keys()
    for name, x in weights.items():
        assert torch.equal(back[name], x)


def test_arrays_of_numpy_are_taken_too():
    weights = kernels()
    attention = from_keras({name: x.numpy() for name, x in weights.items()})
    assert torch.equal(to_keras(attention)["key/kernel"], weights["key/kernel"])


def test_what_is_missing_or_does_not_fit_is_said():
    weights = kernels()
    weights["value/kernel"] = torch.randn(MODEL, HEADS, 3)
    with pytest.raises(ShapeError, match="values as wide as keys in each head, got 3 and 2"):
        from_keras(weights)
    del weights["key/kernel"]
    with pytest.raises(ChoiceError, match="needs a weight key/kernel, got query/kernel"):
        from_keras(weights)


@pytest.fixture(scope="module")
def keras():
    os.environ.setdefault("KERAS_BACKEND", "torch")
    module = pytest.importorskip("keras")
    if module.backend.backend() != "torch":
        pytest.skip("keras runs on another backend")
    return module


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("grouped", [False, True])
def test_the_outputs_of_a_keras_layer_are_ours(keras, grouped):
    layers = keras.layers
    layer = (
        layers.GroupQueryAttention(HEAD, HEADS, 2)
        if grouped
        else layers.MultiHeadAttention(num_heads=HEADS, key_dim=HEAD)
    )
    x, memory = torch.randn(BATCH, QUERIES, MODEL), torch.randn(BATCH, KEYS, MODEL)
    with torch.no_grad():
        layer(x, memory)
        for weight in layer.weights:
            weight.assign(torch.randn(*weight.shape) * 0.5)
        attention = from_keras({weight.path: weight.value for weight in layer.weights})
        mask = torch.rand(BATCH, QUERIES, KEYS) > 0.3
        mask[..., 0] = True
        assert attention.num_key_heads == (2 if grouped else HEADS)
        assert_close(attention(x, memory), layer(x, memory), atol=1e-5, rtol=1e-5)
        found = attention(x, memory, mask=mask)
        assert_close(found, layer(x, memory, attention_mask=mask), atol=1e-5, rtol=1e-5)


def test_ours_goes_into_a_keras_layer(keras):
    attention = MultiHeadAttention(MODEL, HEADS)
    layer = keras.layers.MultiHeadAttention(num_heads=HEADS, key_dim=HEAD)
    x = torch.randn(BATCH, QUERIES, MODEL)
    with torch.no_grad():
        layer(x, x)
        layer.set_weights([weight.numpy() for weight in to_keras(attention).values()])
        assert_close(layer(x, x), attention(x), atol=1e-5, rtol=1e-5)
