"""Modules that call torch's own attention, or ours: seen, and unchanged."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.testing import assert_close

import regard
from regard.errors import ChoiceError
from regard.lens import capture


class Fused(nn.Module):
    """As vision models write it: projections, the fused kernel, a projection."""

    def __init__(self):
        super().__init__()
        self.qkv, self.proj = nn.Linear(12, 36), nn.Linear(12, 12)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, 3, 4)).permute(2, 0, 3, 1, 4)
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Causal(nn.Module):
    """Grouped heads, another scale, no look ahead."""

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3, enable_gqa=True)


class Own(nn.Module):
    """A module of somebody's that calls ``regard.attend``."""

    def forward(self, q, k, v):
        return regard.attend(q, k, v, score="cosine", normalise="sparsemax")


class Handmade(nn.Module):
    """A softmax of its own."""

    def forward(self, x):
        return (x @ x.mT).softmax(dim=-1) @ x


def drawn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def only(record):
    [look] = record.looks
    return look


def test_a_fused_kernel_is_seen_inside_the_module_that_calls_it():
    model, x = nn.Sequential(nn.LayerNorm(12), Fused()), drawn(2, 5, 12)
    plain = model(x)
    with capture(model) as record:
        watched = model(x)
    look = only(record)
    assert watched.equal(plain)
    assert (look.name, look.kind, look.shape) == ("1", "self", (2, 3, 5, 5))
    assert look.receipt.verdict == "verified"
    q, k, _ = model[1].qkv(model[0](x)).unflatten(-1, (3, 3, 4)).permute(2, 0, 3, 1, 4)
    assert_close(look.weigh(), (q @ k.mT / 2).softmax(dim=-1))


def test_the_grid_of_a_model_that_names_it_as_timm_does():
    model = Fused()
    model.patch_embed, model.num_prefix_tokens = nn.Identity(), 2
    model.patch_embed.grid_size = (3, 1)
    with capture(model) as record:
        model(drawn(2, 5, 12))
    side = record.inputs["input"]
    assert (side.grid, side.before) == ((3, 1), 2)


def test_the_options_of_the_kernel_are_understood():
    q, k, v = drawn(2, 6, 5, 4), drawn(2, 3, 5, 4), drawn(2, 3, 5, 7)
    model = Causal()
    with capture(model) as record:
        model(q, k, v)
    look = only(record)
    assert look.receipt.verdict == "verified"
    assert not look.weigh().triu(1).any()
    assert look.weigh().shape == (2, 6, 5, 5)


@pytest.mark.parametrize("weighed", [True, False])
@pytest.mark.parametrize("padded", [True, False])
def test_multi_head_attention_of_torch_is_seen_whether_it_gives_weights_or_not(weighed, padded):
    module = nn.MultiheadAttention(12, 3, batch_first=True).eval()
    x, memory = drawn(2, 5, 12), drawn(2, 7, 12)
    mask = torch.arange(7) >= torch.tensor([[7], [4]]) if padded else None
    module.train()  # no dropout, and no path of its own for inference
    plain, _ = module(x, memory, memory, key_padding_mask=mask, need_weights=weighed)
    _, expected = module(x, memory, memory, key_padding_mask=mask, average_attn_weights=False)
    with capture(module) as record:
        watched, _ = module(x, memory, memory, key_padding_mask=mask, need_weights=weighed)
    look = only(record)
    assert watched.equal(plain)
    assert look.receipt.verdict == "verified"
    assert (look.kind, look.shape) == ("cross", (2, 3, 5, 7))
    assert_close(look.weigh(), expected, atol=1e-6, rtol=0)


def test_the_layers_of_torchs_transformer_are_seen_also_in_evaluation():
    model = nn.Transformer(12, 2, 2, 2, 20, dropout=0.0, batch_first=True).eval()
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    with torch.no_grad():
        plain = model(drawn(2, 5, 12), drawn(2, 4, 12), tgt_mask=causal)
        with capture(model) as record:
            watched = model(drawn(2, 5, 12), drawn(2, 4, 12), tgt_mask=causal)
    assert_close(watched, plain, atol=1e-6, rtol=0)
    kinds = {name: entry.looks[0].kind for name, entry in record.items()}
    assert kinds["decoder.layers.1.multihead_attn"] == "cross"
    assert kinds["decoder.layers.1.self_attn"] == "self"
    assert len(record) == 6
    assert {look.receipt.verdict for look in record.looks} == {"verified"}
    assert not record["decoder.layers.0.self_attn"].weights.triu(1).any()


def test_own_modules_that_call_attend_are_seen_with_their_choices():
    model, (q, k, v) = Own(), (drawn(2, 5, 4), drawn(2, 7, 4), drawn(2, 7, 3))
    with capture(model) as record:
        context = model(q, k, v)
    look = only(record)
    assert context.equal(model(q, k, v))
    assert (look.score.name, look.normalise.name) == ("cosine", "sparsemax")
    assert look.receipt.verdict == "verified"
    assert_close(look.weigh(), regard.weigh(q, k, score="cosine", normalise="sparsemax"))


def test_attend_outside_of_the_model_is_not_seen():
    with capture(Own()) as record:
        regard.attend(drawn(2, 5, 4), drawn(2, 7, 4), drawn(2, 7, 3))
    assert len(record) == 0


def test_a_softmax_by_hand_is_refused_with_what_can_be_seen():
    model = Handmade()
    with (
        pytest.raises(ChoiceError, match=r"Handmade ran and none was: it calls neither regard"),
        capture(model),
    ):
        model(drawn(2, 3, 4))


def test_a_model_that_was_not_run_is_not_refused():
    with capture(Handmade()) as record:
        pass
    assert len(record) == 0


def test_a_kernel_behind_a_causal_and_a_padding_mask_of_numbers():
    class Additive(nn.Module):
        def forward(self, q, k, v, bias):
            return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)

    q, k, v = drawn(2, 3, 5, 4), drawn(2, 3, 7, 4), drawn(2, 3, 7, 6)
    bias = drawn(1, 3, 5, 7).masked_fill(torch.rand(1, 1, 5, 7) < 0.3, -torch.inf)
    bias[..., 0] = 0.1
    model = Additive()
    with capture(model) as record:
        model(q, k, v, bias)
    look = only(record)
    assert look.receipt.verdict == "verified"
    assert_close(look.weigh(), (q @ k.mT / 2 + bias).softmax(dim=-1))
    assert look.allowed().equal(torch.isfinite(bias).expand(2, 3, 5, 7))
