"""A small Transformer and a few sources, as the parent would write them."""

import pytest
import torch

from benchmarks.decoding import prepare as preparing
from benchmarks.decoding.decoders.protocol import Job
from regard.data.vocabulary import learn
from regard.models import build


def small(**changes):
    """A model whose sizes differ, with norms and biases that matter."""
    torch.manual_seed(3)
    sizes = {
        "source_vocab": 40,
        "target_vocab": 40,
        "model_dim": 12,
        "num_heads": 3,
        "encoder_layers": 2,
        "decoder_layers": 3,
        "hidden_dim": 20,
        "norm": "post",
    }
    model = build("transformer-small", **{**sizes, **changes}).eval()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            parameter.data += 0.3 * torch.randn(parameter.shape)
    return model


@pytest.fixture(name="small")
def a_small_model():
    return small


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A folder with a model of these fields, as a job."""

    def make(length=6, **changes):
        model = small(**changes)

        def untrained(texts):
            return model, learn("words", texts, size=model.config.source_vocab)

        monkeypatch.setattr(preparing, "untrained", untrained)
        monkeypatch.setattr(preparing, "SENTENCES", 9)
        prepared = preparing.prepare(None, (), tmp_path)
        return model, prepared, Job(tmp_path, threads=1, length=length)

    return make
