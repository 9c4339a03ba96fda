"""Weights named as in transformers, and its attentions with random weights where installed."""

import pytest
import torch
from torch.testing import assert_close

from regard.errors import ChoiceError, ShapeError
from regard.nn import MultiHeadAttention
from regard.nn.interop import from_hugging_face, to_hugging_face
from regard.positions import Rotary, T5Bias

BATCH, LENGTH, MODEL, HEADS, HEAD = 2, 7, 24, 6, 4


@pytest.mark.parametrize("style", ["bart", "bert", "distilbert", "llama", "t5", "vit"])
def test_every_style_goes_out_and_comes_in(style):
    attention = MultiHeadAttention(MODEL, HEADS, num_key_heads=2, head_dim=5)
    for parameter in attention.parameters():
        torch.nn.init.normal_(parameter)
    weights = to_hugging_face(attention, style, prefix="layers.1.")
    weights["layers.2.other.weight"] = torch.zeros(3)
    back = from_hugging_face(weights, HEADS, prefix="layers.1.")
    assert (back.num_key_heads, back.head_dim) == (2, 5)
    x = torch.randn(BATCH, LENGTH, MODEL)
    assert_close(back(x), attention(x))


def test_a_missing_bias_is_zero():
    attention = MultiHeadAttention(MODEL, HEADS)
    torch.nn.init.normal_(attention.in_proj.bias)
    weights = to_hugging_face(attention)
    for name in ("k_proj", "o_proj"):
        del weights[f"{name}.bias"]
    back = to_hugging_face(from_hugging_face(weights, HEADS))
    assert back["k_proj.bias"].eq(0).all()
    assert torch.equal(back["q_proj.bias"], weights["q_proj.bias"])


def test_unknown_names_and_shapes_are_refused():
    weights = to_hugging_face(MultiHeadAttention(MODEL, HEADS))
    with pytest.raises(ChoiceError, match=r"one style under 'x\.'"):
        from_hugging_face(weights, HEADS, prefix="x.")
    with pytest.raises(ChoiceError, match=r"unknown style 'lama'\. Did you mean 'llama'"):
        to_hugging_face(MultiHeadAttention(MODEL, HEADS), "lama")
    with pytest.raises(ShapeError, match="weights of 24 rows need num_heads that divides them"):
        from_hugging_face(weights, 5)
    with pytest.raises(ShapeError, match="3 key heads of width 4 need keys and values of 12"):
        from_hugging_face(weights, HEADS, num_key_heads=3)


@pytest.fixture(scope="module")
def transformers():
    return pytest.importorskip("transformers")


def randomised(module):
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return module.double().eval()


def inputs():
    return torch.randn(BATCH, LENGTH, MODEL, dtype=torch.float64)


def barred(allowed):
    """What transformers adds to scores."""
    return torch.zeros(allowed.shape, dtype=torch.float64).masked_fill(~allowed, -torch.inf)


KEYS_ALLOWED = (torch.arange(LENGTH) < torch.tensor([[3], [6]])).view(BATCH, 1, 1, LENGTH)


@pytest.mark.filterwarnings("ignore")
def test_bert_attention_is_ours(transformers):
    from transformers.models.bert.modeling_bert import BertSelfAttention

    config = transformers.BertConfig(
        hidden_size=MODEL, num_attention_heads=HEADS, attn_implementation="eager"
    )
    theirs, x = randomised(BertSelfAttention(config)), inputs()
    weights = {f"self.{name}": w for name, w in theirs.state_dict().items()}
    weights["output.dense.weight"] = torch.eye(MODEL, dtype=torch.float64)
    attention = from_hugging_face(weights, HEADS)
    expected = theirs(x, attention_mask=barred(KEYS_ALLOWED))[0]
    assert_close(attention(x, mask=torch.tensor([3, 6])), expected, atol=1e-6, rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_vit_attention_is_ours(transformers):
    from transformers.models.vit.modeling_vit import ViTAttention

    config = transformers.ViTConfig(
        hidden_size=MODEL, num_attention_heads=HEADS, attn_implementation="eager"
    )
    theirs, x = randomised(ViTAttention(config)), inputs()
    names = set(theirs.state_dict())
    if not {"q_proj.weight", "attention.query.weight"} & names:
        pytest.skip("another version of transformers")
    attention = from_hugging_face(theirs.state_dict(), HEADS)
    assert_close(attention(x), theirs(x)[0], atol=1e-5, rtol=1e-5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("decoder", [False, True])
def test_t5_attention_with_its_bias_is_ours(transformers, decoder):
    from transformers.models.t5.modeling_t5 import T5Attention

    config = transformers.T5Config(
        d_model=MODEL,
        num_heads=HEADS,
        d_kv=5,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=6,
        is_decoder=decoder,
    )
    theirs = randomised(T5Attention(config, has_relative_attention_bias=True, layer_idx=0))
    position = T5Bias(HEADS, num_buckets=8, max_distance=6, bidirectional=not decoder).double()
    with torch.no_grad():
        position.table.copy_(theirs.relative_attention_bias.weight.t())
    attention = from_hugging_face(
        theirs.state_dict(),
        HEADS,
        score="dot",
        position=position,
        mask="causal" if decoder else None,
    )
    allowed = KEYS_ALLOWED.expand(BATCH, 1, LENGTH, LENGTH)
    if decoder:
        allowed = allowed & torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    x = inputs()
    assert attention.head_dim == 5
    expected = theirs(x, mask=barred(allowed))[0]
    assert_close(attention(x, mask=torch.tensor([3, 6])), expected, atol=1e-6, rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_llama_attention_with_groups_and_rotary_positions_is_ours(transformers):
    from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

    config = transformers.LlamaConfig(
        hidden_size=MODEL,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        head_dim=HEAD,
        attn_implementation="eager",
    )
    theirs, x = randomised(LlamaAttention(config, layer_idx=0)), inputs()
    angles = LlamaRotaryEmbedding(config).double()(x, torch.arange(LENGTH).unsqueeze(0))
    causal = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril().view(1, 1, LENGTH, LENGTH)
    attention = from_hugging_face(
        theirs.state_dict(), HEADS, position=Rotary(HEAD, layout="halves"), mask="causal"
    )
    expected = theirs(x, position_embeddings=angles, attention_mask=barred(causal))[0]
    assert attention.num_key_heads == 2
    assert_close(attention(x), expected, atol=1e-5, rtol=1e-5)
    first, cache = attention.step(x[:, :4])
    rest, _ = attention.step(x[:, 4:], cache)
    assert_close(torch.cat([first, rest], dim=1), expected, atol=1e-5, rtol=1e-5)
