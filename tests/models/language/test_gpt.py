"""GPT: cached as uncached, no look ahead, and the numbers of other people's models."""

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from regard.decoding import ContinuedPrompts, Greedy, Limits, decode
from regard.errors import RangeError
from regard.models import GPTConfig, build
from regard.models.language import gpt_fast as fast

VOCAB, CONTEXT = 23, 32
SIZES = {"vocab": VOCAB, "context": CONTEXT, "model_dim": 24, "hidden_dim": 40, "num_layers": 2}
POSITIONS = ["learned", "sinusoidal", "rotary", "alibi", "relative", "shaw", "t5", "none"]
VARIANTS = [
    *({"position": position} for position in POSITIONS),
    {"position": "rotary", "num_key_heads": 2, "norm_kind": "rms", "activation": "swiglu"},
    {"position": "learned", "norm": "post", "activation": "relu_squared", "bias": False},
    {"position": "rotary", "num_key_heads": 1, "normalise": "sparsemax", "tied": False},
]
TEXTS = torch.arange(3 * 7).view(3, 7) * 5 % VOCAB


def made(**changes):
    model = build(GPTConfig(**SIZES | changes)).double().eval()
    for parameter in model.parameters():  # norms and biases too say something
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def stepped(model, texts, begun):
    """The logits of every step behind a prompt of ``begun`` tokens each."""
    state, found = model.start(texts, begun), []
    rows = torch.arange(len(texts))
    for step in range(int((texts.shape[1] - begun).min())):
        logits, state = model.step(texts[rows, begun + step], state)
        found.append(logits)
    return torch.stack(found, dim=1)


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
@pytest.mark.parametrize("cached", ["paged", "definition"])
def test_steps_behind_a_prompt_of_any_length_give_the_numbers_of_the_whole_text(changes, cached):
    model, begun = made(**changes), torch.tensor([4, 2, 0])
    with torch.no_grad():
        whole = model(TEXTS)
    with torch.inference_mode() if cached == "paged" else torch.enable_grad():
        found = stepped(model, TEXTS, begun)
    wanted = torch.stack([whole[b, n : n + 3] for b, n in enumerate(begun.tolist())])
    torch.testing.assert_close(found.detach().clone(), wanted, rtol=0, atol=1e-12)


def test_plain_attention_decodes_on_pages_and_other_attention_says_why_not():
    model = made(position="rotary")
    assert fast.plan(model) == fast.Plan("definition", fast.plan(model).why)  # gradients
    with torch.inference_mode():
        assert fast.plan(model).name == "paged"
        assert "alibi" in fast.plan(made(position="alibi")).why
        assert "softmax" in fast.plan(made(normalise="sparsemax")).why


@pytest.mark.parametrize("position", POSITIONS)
def test_no_position_sees_a_later_token(position):
    model = made(position=position)
    other = TEXTS.clone()
    other[:, 4:] = (other[:, 4:] + 1) % VOCAB
    with torch.no_grad():
        before, after = model(TEXTS), model(other)
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4:], after[:, 4:])


def test_states_are_reordered_and_joined():
    model = made(position="rotary")
    rows, begun = torch.tensor([2, 0, 0]), torch.tensor([3, 1, 2])
    with torch.inference_mode():
        state = model.start(TEXTS, begun)
        chosen, _ = model.step(torch.tensor([1, 2, 3]), state.reorder(rows))
        alone = [
            model.step(
                torch.tensor([token]), model.start(TEXTS[row : row + 1], begun[row : row + 1])
            )
            for token, row in zip([1, 2, 3], rows.tolist(), strict=True)
        ]
        torch.testing.assert_close(chosen, torch.cat([logits for logits, _ in alone]))
        both = state.joined(model.start(TEXTS[:2, 1:], torch.tensor([4, 3])))
        together, _ = model.step(torch.tensor([1, 2, 3, 4, 5]), both)
        first, _ = model.step(torch.tensor([1, 2, 3]), state)
        torch.testing.assert_close(together[:3], first)


def test_more_tokens_than_learned_positions_are_refused():
    model = made(position="learned")
    with pytest.raises(RangeError, match="positions for 32 tokens, got 33"):
        model(torch.zeros(1, CONTEXT + 1, dtype=torch.long))


def gpt2():
    """A small random GPT-2 of theirs, and its weights in a model of ours."""
    torch.manual_seed(3)
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=VOCAB,
            n_positions=CONTEXT,
            n_embd=24,
            n_layer=2,
            n_head=4,
            n_inner=40,
            bos_token_id=None,
            eos_token_id=None,
            initializer_range=0.3,
        )
    ).eval()
    ours = build(GPTConfig(**SIZES, activation="gelu_tanh")).eval()
    body = theirs.transformer
    with torch.no_grad():
        ours.embedding.weight.copy_(body.wte.weight)
        ours.position.table.copy_(body.wpe.weight)
        ours.output.proj.bias.zero_()
        copied(ours.norm, body.ln_f)
        for layer, block in zip(ours.layers, body.h, strict=True):
            copied(layer.around_attention.norm, block.ln_1)
            copied(layer.around_feed_forward.norm, block.ln_2)
            for own, other in (
                (layer.attention.in_proj, block.attn.c_attn),
                (layer.attention.output_proj, block.attn.c_proj),
                (layer.feed_forward.input_proj, block.mlp.c_fc),
                (layer.feed_forward.output_proj, block.mlp.c_proj),
            ):
                own.weight.copy_(other.weight.T)
                own.bias.copy_(other.bias)
    return ours, theirs


def llama():
    """The same with rotary positions, grouped heads, SwiGLU and root-mean-square norms."""
    torch.manual_seed(4)
    theirs = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCAB,
            hidden_size=24,
            intermediate_size=40,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            rms_norm_eps=1e-5,
            max_position_embeddings=CONTEXT,
            bos_token_id=None,
            eos_token_id=None,
            pad_token_id=None,
            initializer_range=0.3,
        )
    ).eval()
    ours = build(
        GPTConfig(
            **SIZES,
            num_key_heads=2,
            position="rotary",
            activation="swiglu",
            norm_kind="rms",
            bias=False,
            tied=False,
        )
    ).eval()
    body = theirs.model
    with torch.no_grad():
        ours.embedding.weight.copy_(body.embed_tokens.weight)
        ours.output.proj.weight.copy_(theirs.lm_head.weight)
        ours.output.proj.bias.zero_()
        ours.norm.weight.copy_(body.norm.weight)
        for layer, block in zip(ours.layers, body.layers, strict=True):
            layer.around_attention.norm.weight.copy_(block.input_layernorm.weight)
            layer.around_feed_forward.norm.weight.copy_(block.post_attention_layernorm.weight)
            heads = block.self_attn
            joint = [heads.q_proj.weight, heads.k_proj.weight, heads.v_proj.weight]
            layer.attention.in_proj.weight.copy_(torch.cat(joint))
            layer.attention.output_proj.weight.copy_(heads.o_proj.weight)
            gate = [block.mlp.gate_proj.weight, block.mlp.up_proj.weight]
            layer.feed_forward.input_proj.weight.copy_(torch.cat(gate))
            layer.feed_forward.output_proj.weight.copy_(block.mlp.down_proj.weight)
    return ours, theirs


def copied(own, other):
    own.weight.copy_(other.weight)
    own.bias.copy_(other.bias)


@pytest.mark.parametrize("pair", [gpt2, llama])
def test_with_the_weights_of_hugging_face_logits_are_theirs(pair):
    ours, theirs = pair()
    with torch.no_grad():
        torch.testing.assert_close(ours(TEXTS), theirs(TEXTS).logits, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("pair", [gpt2, llama])
def test_greedy_continuations_are_those_of_their_generate(pair):
    ours, theirs = pair()
    prompts = TEXTS[:, :5]
    limits = Limits(max_length=20, ratio=0, offset=20, context=CONTEXT)
    found = decode(
        ours,
        prompts.tolist(),
        strategy=Greedy(),
        limits=limits,
        bos=0,
        pad=0,
        eos=(),
        prompts=ContinuedPrompts(),
    )
    banned = [0]  # padding and beginning are never written
    wanted = theirs.generate(
        prompts,
        attention_mask=torch.ones_like(prompts),
        max_new_tokens=20,
        do_sample=False,
        suppress_tokens=banned,
        pad_token_id=0,
    )
    assert [list(best.tokens) for best, *_ in found] == wanted[:, 5:].tolist()
