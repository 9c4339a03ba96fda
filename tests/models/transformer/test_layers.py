import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard.functional import masks
from regard.models.transformer.config import TransformerConfig
from regard.models.transformer.layers import DecoderLayer, EncoderLayer
from regard.models.transformer.padding import Everything, rows

BATCH, SOURCE, TARGET, WIDTH, HEADS, HIDDEN = 3, 7, 5, 12, 3, 22
LENGTHS = torch.tensor([7, 2, 5])
KINDS = [(norm, activation) for norm in ("pre", "post") for activation in ("relu", "gelu")]


def config(norm: str, activation: str) -> TransformerConfig:
    return TransformerConfig(
        source_vocab=2,
        target_vocab=2,
        dropout=0.0,
        model_dim=WIDTH,
        num_heads=HEADS,
        hidden_dim=HIDDEN,
        norm=norm,
        activation=activation,
    )


def sizes(norm: str, activation: str) -> dict:
    return {
        "d_model": WIDTH,
        "nhead": HEADS,
        "dim_feedforward": HIDDEN,
        "dropout": 0.0,
        "activation": activation,
        "norm_first": norm == "pre",
        "batch_first": True,
        "dtype": torch.float64,
    }


def pairs(ours, theirs, names: dict[str, str]) -> list[tuple[nn.Parameter, nn.Parameter]]:
    """The same parameters, ours and theirs."""
    known = dict(theirs.named_parameters())
    found = []
    for name, parameter in ours.named_parameters():
        for own, other in names.items():
            name = name.replace(own, other)
        found.append((parameter, known[name]))
    assert len(found) == len(known)
    return found


NAMES = {
    "cross.in_proj.": "multihead_attn.in_proj_",
    "cross.output_proj": "multihead_attn.out_proj",
    "around_attention.norm": "norm1",
    "attention.in_proj.": "self_attn.in_proj_",
    "attention.output_proj": "self_attn.out_proj",
    "feed_forward.input_proj": "linear1",
    "feed_forward.output_proj": "linear2",
}


def copied(ours, theirs, names: dict[str, str]) -> None:
    """Random parameters of theirs, norms and biases too, in both."""
    with torch.no_grad():
        for own, other in pairs(ours, theirs, names):
            other.add_(torch.randn_like(other) * 0.2)
            own.copy_(other)


def assert_same_gradients(ours, theirs, names: dict[str, str]) -> None:
    for own, other in pairs(ours, theirs, names):
        assert own.grad.abs().sum() > 0
        assert_close(own.grad, other.grad)


def weighted(output: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """A loss of the positions before the lengths."""
    inside = torch.arange(output.shape[1]) < lengths.unsqueeze(-1)
    weights = torch.linspace(-1, 1, output.numel(), dtype=output.dtype).reshape(output.shape)
    return (output * weights)[inside].sum()


@pytest.mark.parametrize(("norm", "activation"), KINDS)
@pytest.mark.parametrize("layout", [Everything(), rows(LENGTHS, SOURCE)], ids=["padded", "packed"])
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_an_encoder_layer_equals_that_of_torch(norm, activation, layout):
    names = NAMES | {"around_feed_forward.norm": "norm2"}
    ours = EncoderLayer(config(norm, activation)).double()
    theirs = nn.TransformerEncoderLayer(**sizes(norm, activation))
    copied(ours, theirs, names)
    x = torch.randn(BATCH, SOURCE, WIDTH, dtype=torch.float64)
    output = layout.padded(ours(layout.packed(x), layout, masks.padding(LENGTHS)))
    beyond = torch.arange(SOURCE) >= LENGTHS.unsqueeze(-1)
    expected = theirs(x, src_key_padding_mask=beyond)
    assert_close(output[~beyond], expected[~beyond])
    weighted(output, LENGTHS).backward()
    weighted(expected, LENGTHS).backward()
    assert_same_gradients(ours, theirs, names)


@pytest.mark.parametrize(("norm", "activation"), KINDS)
@pytest.mark.parametrize("packing", [False, True], ids=["padded", "packed"])
def test_a_decoder_layer_equals_that_of_torch(norm, activation, packing):
    names = {"around_cross.norm": "norm2", "around_feed_forward.norm": "norm3"} | NAMES
    ours = DecoderLayer(config(norm, activation)).double()
    theirs = nn.TransformerDecoderLayer(**sizes(norm, activation))
    copied(ours, theirs, names)
    memory = torch.randn(BATCH, SOURCE, WIDTH, dtype=torch.float64)
    x = torch.randn(BATCH, TARGET, WIDTH, dtype=torch.float64)
    said = torch.tensor([3, 5, 1])
    layout = rows(said, TARGET) if packing else Everything()
    prepared = ours.cross.prepare(memory)
    states, _ = ours(layout.packed(x), layout, prepared, masks.padding(LENGTHS))
    expected = theirs(
        x,
        memory,
        tgt_mask=torch.ones(TARGET, TARGET, dtype=torch.bool).triu(1),
        memory_key_padding_mask=torch.arange(SOURCE) >= LENGTHS.unsqueeze(-1),
    )
    output = layout.padded(states)
    inside = torch.arange(TARGET) < said.unsqueeze(-1)
    assert_close(output[inside], expected[inside])
    weighted(output, said).backward()
    weighted(expected, said).backward()
    assert_same_gradients(ours, theirs, names)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_steps_of_a_decoder_layer_are_its_full_pass(norm):
    layer = DecoderLayer(config(norm, "gelu")).double()
    memory = layer.cross.prepare(torch.randn(BATCH, SOURCE, WIDTH).double(), LENGTHS)
    x, cache = torch.randn(BATCH, TARGET, WIDTH).double(), None
    expected = layer(x, Everything(), memory)
    for place in range(TARGET):
        here = slice(place, place + 1)
        states, query, cache = layer.step(x[:, here], cache, memory)
        assert_close(states, expected.states[:, here])
        assert_close(query, expected.query[:, here])
