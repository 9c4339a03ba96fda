import pytest
import torch
from pydantic import ValidationError

from models.transformer.sentences import tiny
from regard.models import build
from regard.models.transformer import (
    Transformer,
    TransformerConfig,
    transformer_base,
    transformer_small,
    transformer_tiny,
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_heads": 3}, "num_heads needs to divide model_dim 8, got 3"),
        ({"num_heads": 4, "num_key_heads": 3}, "num_key_heads needs to divide num_heads 4, got 3"),
        ({"num_heads": 8, "position": "rotary"}, "even width, got 1"),
        ({"alignment_layer": 3}, "one of the 3 decoder layers, counted from 0, got 3"),
        ({"alignment_head": 2}, "one of the 2 heads, counted from 0, or 'mean', got 2"),
        ({"attention_dropout": 1.0}, "less than 1"),
        ({"hidden": 3}, "Extra inputs are not permitted"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(ValidationError, match=message):
        tiny(**changes)


def test_the_base_model_is_that_of_the_paper():
    config = transformer_base(source_vocab=37000, target_vocab=37000)
    with torch.device("meta"):
        model = Transformer(config)
    attention, hidden, norm = 4 * (512**2 + 512), 2 * 512 * 2048 + 2048 + 512, 2 * 512
    encoder, decoder = attention + hidden + 2 * norm, 2 * attention + hidden + 3 * norm
    expected = 6 * (encoder + decoder) + 37000 * 512 + 37000
    assert sum(parameter.numel() for parameter in model.parameters()) == expected


@pytest.mark.parametrize("preset", [transformer_tiny, transformer_small, transformer_base])
def test_presets_are_known_by_name_and_valid(preset):
    config = preset(source_vocab=7, target_vocab=9)
    assert TransformerConfig.model_validate(config.model_dump()) == config
    name = preset.__name__.replace("_", "-")
    with torch.device("meta"):
        model = build(name, source_vocab=7, target_vocab=9, dropout=0.3)
    assert isinstance(model, Transformer)
    assert model.config == config.model_copy(update={"dropout": 0.3})
