"""Weights named as in transformers, and its attentions with random weights where installed."""

from importlib import import_module

import pytest
import torch
from torch.testing import assert_close

from regard.errors import ChoiceError, DtypeError, ShapeError
from regard.functional.scores import ScaledDot, SoftCapped
from regard.nn import MultiHeadAttention
from regard.nn.interop import from_hugging_face, to_hugging_face, to_keras, to_torch
from regard.positions import Rotary, T5Bias

BATCH, LENGTH, MODEL, HEADS, HEAD = 2, 7, 24, 6, 4


@pytest.mark.parametrize("style", ["bart", "bert", "distilbert", "llama", "t5", "vit", "yolos"])
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


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("q_norm.weight", "pass query_norm= and key_norm=, the modules q_norm and k_norm of the"),
        ("relative_attention_bias.weight", "pass position=, a T5Bias whose table it is"),
        ("sinks", "leave them out of the weights if they are none of the attention's"),
    ],
)
def test_weights_that_would_be_left_out_are_named(name, advice):
    weights = to_hugging_face(MultiHeadAttention(MODEL, HEADS), prefix="a.")
    weights["a.rotary_emb.inv_freq"] = torch.ones(HEAD)
    from_hugging_face(weights, HEADS, prefix="a.")
    weights[f"a.{name}"] = torch.ones(HEAD)
    with pytest.raises(ChoiceError, match=rf"no use for {name} under 'a\.', .*{advice}"):
        from_hugging_face(weights, HEADS, prefix="a.")


def test_norms_go_out_again_but_not_to_those_who_have_none():
    norms = {name: torch.nn.RMSNorm(HEAD) for name in ("query_norm", "key_norm")}
    for norm in norms.values():
        torch.nn.init.normal_(norm.weight)
    attention = from_hugging_face(to_hugging_face(MultiHeadAttention(MODEL, HEADS)), HEADS, **norms)
    back = to_hugging_face(attention, prefix="a.")
    assert torch.equal(back["a.q_norm.weight"], norms["query_norm"].weight)
    assert torch.equal(back["a.k_norm.weight"], norms["key_norm"].weight)
    for out in (to_torch, to_keras):
        with pytest.raises(ChoiceError, match="norms of queries and keys"):
            out(attention)


@pytest.mark.usefixtures("without_shape_checks")
def test_norms_that_do_not_fit_are_refused():
    weights = to_hugging_face(MultiHeadAttention(MODEL, HEADS))
    norm = torch.nn.RMSNorm(5)
    with pytest.raises(ChoiceError, match="needs query_norm and key_norm, or neither"):
        from_hugging_face(weights, HEADS, query_norm=norm)
    with pytest.raises(ShapeError, match="the width of a head, 4, or of all, 24, got 5"):
        from_hugging_face(weights, HEADS, query_norm=norm, key_norm=norm)
    with pytest.raises(DtypeError, match=r"needs a state dict, got Linear; pass \.state_dict\(\)"):
        from_hugging_face(torch.nn.Linear(2, 2), HEADS)


@pytest.fixture(scope="module")
def transformers():
    return pytest.importorskip("transformers")


def randomised(module):
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return module.double().eval()


def first_of(output):
    return output[0] if isinstance(output, tuple) else output


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


STYLES = {
    "bart": ("bart", "Bart", {"embed_dim": MODEL, "num_heads": HEADS}),
    "bert": ("bert", "Bert", None),
    "llama": ("llama", "Llama", {"layer_idx": 0}),
    "t5": ("t5", "T5", {"layer_idx": 0}),
    "vit": ("vit", "ViT", {}),
    "yolos": ("yolos", "Yolos", {}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("style", STYLES)
def test_what_goes_out_has_the_names_and_shapes_of_the_installed_version(transformers, style):
    package, family, more = STYLES[style]
    modeling = import_module(f"transformers.models.{package}.modeling_{package}")
    sizes = {"hidden_size": MODEL, "num_attention_heads": HEADS, "num_key_value_heads": HEADS}
    if style == "t5":
        sizes = {"d_model": MODEL, "num_heads": HEADS, "d_kv": HEAD}
    config = getattr(transformers, f"{family}Config")(**sizes, attn_implementation="eager")
    given = more if style == "bart" else {"config": config, **(more or {})}
    theirs = getattr(modeling, f"{family}Attention")(**given)
    bias = style not in ("llama", "t5")
    ours = to_hugging_face(MultiHeadAttention(MODEL, HEADS, bias=bias), style)
    missing, unexpected = theirs.load_state_dict(ours, strict=False)
    assert not unexpected
    assert not [name for name in missing if "LayerNorm" not in name]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", ["vit", "yolos"])
def test_vit_attention_is_ours(transformers, package):
    family = {"vit": "ViT", "yolos": "Yolos"}[package]
    modeling = import_module(f"transformers.models.{package}.modeling_{package}")
    config = getattr(transformers, f"{family}Config")(
        hidden_size=MODEL, num_attention_heads=HEADS, attn_implementation="eager"
    )
    theirs, x = randomised(getattr(modeling, f"{family}Attention")(config)), inputs()
    attention = from_hugging_face(theirs.state_dict(), HEADS)
    assert_close(attention(x), first_of(theirs(x)), atol=1e-5, rtol=1e-5)


def decoder_attention(transformers, package, family, **more):
    """One attention with random weights, what it makes of an input, and how it was called."""
    modeling = import_module(f"transformers.models.{package}.modeling_{package}")
    name = f"{family}TextConfig" if package == "gemma3" else f"{family}Config"
    config = getattr(transformers, name)(
        hidden_size=MODEL,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        head_dim=HEAD,
        attn_implementation="eager",
        **more,
    )
    theirs, x = randomised(getattr(modeling, f"{family}Attention")(config, layer_idx=0)), inputs()
    causal = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril().view(1, 1, LENGTH, LENGTH)
    expected = theirs(x, position_embeddings=cosines_and_sines(), attention_mask=barred(causal))[0]
    choices = {"position": Rotary(HEAD, layout="halves"), "mask": "causal"}
    return theirs, x, expected, choices


def cosines_and_sines():
    """The angles of every position as transformers passes them, (1, N, D)."""
    frequencies = 10000 ** (-torch.arange(0, HEAD, 2, dtype=torch.float64) / HEAD)
    angles = torch.arange(LENGTH)[:, None] * torch.cat([frequencies, frequencies])
    return angles.cos()[None], angles.sin()[None]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("package", "family", "more"),
    [
        ("qwen3", "Qwen3", {}),
        ("gemma3", "Gemma3", {"query_pre_attn_scalar": HEAD}),
        ("olmo2", "Olmo2", {}),
    ],
)
def test_attentions_that_normalise_queries_and_keys_are_ours(transformers, package, family, more):
    theirs, x, expected, choices = decoder_attention(transformers, package, family, **more)
    with pytest.raises(ChoiceError, match=r"no use for k_norm\.weight, q_norm\.weight under ''"):
        from_hugging_face(theirs.state_dict(), HEADS, **choices)
    attention = from_hugging_face(
        theirs.state_dict(),
        HEADS,
        query_norm=theirs.q_norm,
        key_norm=theirs.k_norm,
        **choices,
    )
    assert_close(attention(x), expected, atol=1e-5, rtol=1e-5)
    first, cache = attention.step(x[:, :4])
    rest, _ = attention.step(x[:, 4:], cache)
    assert_close(torch.cat([first, rest], dim=1), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_the_soft_cap_of_gemma_2_is_a_score_as_its_docstring_says(transformers):
    theirs, x, expected, choices = decoder_attention(
        transformers, "gemma2", "Gemma2", query_pre_attn_scalar=7, attn_logit_softcapping=0.6
    )
    cap, scale = 0.6, 7**-0.5
    attention = from_hugging_face(
        theirs.state_dict(),
        HEADS,
        score=SoftCapped(ScaledDot(scale), cap),
        **choices,
    )
    assert_close(attention(x), expected, atol=1e-5, rtol=1e-5)


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
    with pytest.raises(ChoiceError, match="no use for relative_attention_bias"):
        from_hugging_face(theirs.state_dict(), HEADS, score="dot")
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
