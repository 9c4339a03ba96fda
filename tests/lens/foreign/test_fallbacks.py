"""Classes of transformers not on its interface: the kernel heard, weights asked for, or refused."""

from functools import cache

import pytest
import torch
from torch.testing import assert_close

from lens.foreign.families import TEXT, ids, transformers
from regard.errors import ChoiceError
from regard.lens import HeadOff, capture, edit

WIDTH = {"vocab_size": 41, "hidden_size": 24}
HEADS = {**WIDTH, "num_hidden_layers": 2, "num_attention_heads": 3}
SHORT = {"vocab_size": 41, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 64}
KERNEL = {
    "falcon": ("FalconForCausalLM", "FalconConfig", HEADS),
    "falcon, alibi": ("FalconForCausalLM", "FalconConfig", {**HEADS, "alibi": True}),
}
BY_HAND = {
    "bloom": ("BloomForCausalLM", "BloomConfig", {**WIDTH, "n_layer": 2, "n_head": 3}),
    "gptj": ("GPTJForCausalLM", "GPTJConfig", {**SHORT, "rotary_dim": 4}),
    "codegen": (
        "CodeGenForCausalLM",
        "CodeGenConfig",
        {**SHORT, "n_embd": 32, "n_head": 4, "rotary_dim": 4},
    ),
    "deberta": ("DebertaV2Model", "DebertaV2Config", TEXT),
}


@cache
def made(family):
    """A random model of a family that is not on the interface."""
    model_class, config_class, sizes = {**KERNEL, **BY_HAND}[family]
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    torch.manual_seed(0)
    model = getattr(transformers, model_class)(
        getattr(transformers, config_class)(**{**special, **sizes})
    )
    return model.eval()


def batch():
    mask = torch.ones(2, 9, dtype=torch.long)
    mask[1, 6:] = 0
    return {"input_ids": ids(), "attention_mask": mask}


@pytest.mark.parametrize("family", KERNEL)
def test_a_class_that_calls_the_kernel_itself_is_heard_there_with_a_receipt(family):
    model, given = made(family), batch()
    with torch.no_grad():
        plain = model(**given).logits
        with capture(model) as record:
            assert model(**given).logits.equal(plain)
    assert [look.receipt.verdict for look in record.looks] == ["verified"] * 2
    assert not record.looks[0].weigh().triu(1).any()
    with torch.no_grad(), edit(model, HeadOff("transformer.h.0.self_attention", heads=[1])):
        assert not model(**given).logits.equal(plain)


@pytest.mark.filterwarnings("ignore:.torch.jit.script")  # DeBERTa's own
@pytest.mark.parametrize("family", BY_HAND)
def test_a_softmax_by_hand_gives_the_weights_that_the_model_hands_out(family):
    model, given = made(family), batch()
    with torch.no_grad():
        plain = model(**given)
        with capture(model) as record:
            watched = model(**given)
        wanted = model(**given, output_attentions=True)
    assert watched[0].equal(plain[0])
    assert [tuple(x.shape) for x in watched.to_tuple() if isinstance(x, torch.Tensor)] == [
        tuple(x.shape) for x in plain.to_tuple() if isinstance(x, torch.Tensor)
    ]
    assert watched.keys() == plain.keys()
    assert watched.attentions is None
    assert [look.shape for look in record.looks] == [tuple(x.shape) for x in wanted.attentions]
    for look, weights in zip(record.looks, wanted.attentions, strict=True):
        assert_close(look.weigh(), weights, atol=0, rtol=0)
        assert str(look.receipt).startswith("not checked: the module told its weights alone")
        assert model.get_submodule(look.name) is not None


def test_who_asks_for_weights_gets_them_while_somebody_watches():
    model, given = made("bloom"), batch()
    with torch.no_grad(), capture(model) as record:
        output = model(**given, output_attentions=True)
    assert len(output.attentions) == len(record.looks) == 2


def test_a_softmax_by_hand_cannot_be_edited():
    with (
        pytest.raises(ChoiceError, match="they can be read, but nothing can be put in their place"),
        edit(made("gptj"), HeadOff("transformer.h.0.attn")),
    ):
        pass


def test_weights_by_distance_are_no_map_and_are_refused():
    config = transformers.LongformerConfig(**{**TEXT, "attention_window": 4})
    model = transformers.LongformerModel(config).eval()
    with (
        pytest.raises(
            ChoiceError, match=r"a LongformerSelfAttention, .* a column for every distance"
        ),
        capture(model),
    ):
        pass


@pytest.mark.parametrize(
    ("model_class", "config_class", "sizes"),
    [
        ("MambaModel", "MambaConfig", {**WIDTH, "num_hidden_layers": 1, "state_size": 4}),
        ("FNetModel", "FNetConfig", {**TEXT, "num_hidden_layers": 1}),
    ],
)
def test_a_model_without_a_softmax_is_refused_in_a_sentence(model_class, config_class, sizes):
    model = getattr(transformers, model_class)(getattr(transformers, config_class)(**sizes))
    with (
        pytest.raises(ChoiceError, match=rf"needs a model with attention .*{model_class} has none"),
        capture(model),
    ):
        pass
