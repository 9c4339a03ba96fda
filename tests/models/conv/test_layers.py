import math

import pytest
import torch
from pydantic import ValidationError
from torch.testing import assert_close

from regard.functional import masks
from regard.models import build
from regard.models.conv import ConvEncoder, ConvS2S, ConvS2SConfig, convs2s_small
from regard.models.conv.blocks import GatedConvolution
from regard.models.conv.decoder import ConvDecoderLayer
from regard.nn import Memory

BATCH, SOURCE, TARGET, EMBEDDING, HIDDEN = 2, 7, 5, 4, 3


def convolved(layer: GatedConvolution, x: torch.Tensor, before: int) -> torch.Tensor:
    """One sentence (N, C), position by position."""
    weight, bias = layer.convolution.weight, layer.convolution.bias
    states = []
    for place in range(len(x)):
        total = bias
        for tap in range(weight.shape[-1]):
            seen = place + tap - before
            if 0 <= seen < len(x):
                total = total + weight[:, :, tap] @ x[seen]
        half = len(total) // 2
        states.append(total[:half] * torch.sigmoid(total[half:]))
    return torch.stack(states)


def linear(layer, x: torch.Tensor) -> torch.Tensor:
    return x @ layer.weight.T + layer.bias


def test_an_encoder_computes_the_equations_of_the_paper():
    encoder = ConvEncoder(
        embedding_dim=EMBEDDING, hidden_dim=HIDDEN, layers=2, kernel=3, dropout=0.0
    ).double()
    embedded = torch.randn(BATCH, SOURCE, EMBEDDING, dtype=torch.float64)
    lengths = torch.tensor([4, 7])
    found = encoder(embedded, lengths)
    for row, length in enumerate(lengths):
        own = embedded[row, :length]
        x = linear(encoder.input_proj, own)
        for layer in encoder.layers:
            x = (convolved(layer, x, before=1) + x) * math.sqrt(0.5)
        keys = linear(encoder.output_proj, x)
        assert_close(found.keys[row, :length], keys)
        assert_close(found.values[row, :length], (keys + own) * math.sqrt(0.5))


def test_a_decoder_layer_computes_the_equations_of_the_paper():
    layer = ConvDecoderLayer(
        embedding_dim=EMBEDDING, hidden_dim=HIDDEN, kernel=3, dropout=0.0
    ).double()
    x = torch.randn(BATCH, TARGET, HIDDEN, dtype=torch.float64)
    embedded = torch.randn(BATCH, TARGET, EMBEDDING, dtype=torch.float64)
    key, value = torch.randn(2, BATCH, SOURCE, EMBEDDING, dtype=torch.float64)
    lengths, root = torch.tensor([3, 7]), math.sqrt(0.5)
    found = layer(x, embedded, Memory(key, value, masks.padding(lengths)))
    for row, length in enumerate(lengths.tolist()):
        said = convolved(layer.convolution, x[row], before=2)
        query = (linear(layer.query_proj, said) + embedded[row]) * root
        weights = torch.softmax(query @ key[row, :length].T, dim=-1)
        context = weights @ value[row, :length] * length**0.5
        expected = ((said + linear(layer.context_proj, context)) * root + x[row]) * root
        assert_close(found.states[row], expected)
        assert_close(found.query[row], query)


def test_a_gated_convolution_keeps_the_deviation_of_its_input():
    layer = GatedConvolution(64, kernel=5, before=2, dropout=0.0)
    output = layer(torch.randn(30, 90, 64))
    assert 0.7 < output.detach().std().item() < 1.4
    assert layer.convolution.weight.detach().std().item() == pytest.approx(
        (4 / 320) ** 0.5, rel=0.05
    )


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValidationError, match="encoder_kernel needs to be odd, got 4"):
        ConvS2SConfig(source_vocab=2, target_vocab=2, encoder_kernel=4)
    with pytest.raises(ValidationError, match="one of the 20 decoder layers"):
        ConvS2SConfig(source_vocab=2, target_vocab=2, alignment_layer=20)


def test_the_preset_is_known_by_name():
    config = convs2s_small(source_vocab=7, target_vocab=9)
    assert ConvS2SConfig.model_validate_json(config.model_dump_json()) == config
    model = build("convs2s-small", source_vocab=7, target_vocab=9)
    assert isinstance(model, ConvS2S)
    assert model.config == config
