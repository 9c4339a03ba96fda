"""Language models: logits and greedy text are those of transformers, there and back."""

import math

import pytest
import torch
from torch.testing import assert_close

from models.interop.theirs import VOCAB, back, ours_of, random_model, tokens, transformers
from regard.decoding import ContinuedPrompts, Greedy, Limits, decode
from regard.errors import ChoiceError
from regard.models.interop import exported, imported

GPT2 = {"vocab_size": VOCAB, "n_embd": 12, "n_layer": 2, "n_head": 3, "n_positions": 17}
LLAMA = {
    "vocab_size": VOCAB,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "intermediate_size": 20,
    "max_position_embeddings": 17,
}
ROPES = {
    "linear": {"rope_type": "linear", "factor": 3.0},
    "dynamic": {"rope_type": "dynamic", "factor": 3.0},
    "yarn": {"rope_type": "yarn", "factor": 3.0, "original_max_position_embeddings": 7},
    "llama3": {
        "rope_type": "llama3",
        "factor": 3.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 40,
    },
    "longrope": {
        "rope_type": "longrope",
        "factor": 3.0,
        "short_factor": [1.0, 1.5],
        "long_factor": [2.0, 5.0],
        "original_max_position_embeddings": 7,
    },
}


def gpt2(**fields):
    config = transformers.GPT2Config(**{**GPT2, **fields})
    return random_model(transformers.GPT2LMHeadModel, config)


def llama(kind="Llama", **fields):
    config = getattr(transformers, f"{kind}Config")(**{**LLAMA, **fields})
    model = random_model(getattr(transformers, f"{kind}ForCausalLM"), config)
    return exact(model, config)


def exact(model, config):
    """Theirs round angles and variances to float32, whatever they compute in: not these."""
    rotary = model.model.rotary_emb
    model.model.rotary_emb = (
        rotary if isinstance(rotary, ExactRotary) else ExactRotary(rotary, config)
    )
    for parent in list(model.modules()):
        for name, part in list(parent.named_children()):
            if type(part).__name__.endswith("RMSNorm"):
                norm = torch.nn.RMSNorm(part.weight.shape, eps=config.rms_norm_eps).double()
                norm.load_state_dict(part.state_dict())
                setattr(parent, name, norm)
    return model


class ExactRotary(torch.nn.Module):
    """Their rotary positions with angles in float64."""

    def __init__(self, theirs, config):
        super().__init__()
        self.theirs, dim = theirs, config.head_dim
        self.plain = config.rope_parameters["rope_type"] == "default"
        exponents = -torch.arange(0, dim, 2).double() / dim
        self.exact = config.rope_parameters["rope_theta"] ** exponents

    def forward(self, x, position_ids):
        cos, sin = self.theirs(x, position_ids)
        if not self.plain:
            return cos, sin
        angles = position_ids[..., None].double() * self.exact
        both = torch.cat([angles, angles], dim=-1)
        return both.cos().to(x.dtype), both.sin().to(x.dtype)


MODELS = {
    "gpt2": lambda: gpt2(),
    "gpt2, other choices": lambda: gpt2(
        n_inner=7, activation_function="relu", scale_attn_weights=False, tie_word_embeddings=False
    ),
    "llama": lambda: llama(),
    "llama, biases, tied": lambda: llama(
        attention_bias=True, mlp_bias=True, tie_word_embeddings=True, rms_norm_eps=0.1
    ),
    "mistral": lambda: llama("Mistral", sliding_window=3),
    "qwen2": lambda: llama("Qwen2"),
    "qwen2, tied": lambda: llama("Qwen2", tie_word_embeddings=True),
    "qwen3": lambda: llama("Qwen3", rms_norm_eps=0.1),
}
KINDS = {name: name.partition(",")[0] for name in MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_logits_are_theirs_there_and_back(name):
    theirs, ids = MODELS[name](), tokens(2, 11)
    ours = ours_of(theirs)
    again = back(ours, KINDS[name], theirs)
    if hasattr(theirs, "model"):
        again = exact(again, theirs.config)
    with torch.no_grad():
        wanted = theirs(ids).logits
        assert_close(ours(ids), wanted, atol=1e-9, rtol=1e-9)
        assert_close(ours_of(theirs, torch.float32)(ids).double(), wanted, atol=1e-4, rtol=1e-4)
        assert_close(again(ids).logits, wanted, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "qwen2", "qwen3"])
def test_greedy_text_is_theirs_token_for_token(name):
    theirs, prompt = MODELS[name](), tokens(1, 3)
    length = 17 - 3
    with torch.no_grad():
        asked = {"do_sample": False, "max_new_tokens": length, "min_new_tokens": length}
        wanted = theirs.generate(prompt, **asked, pad_token_id=0, eos_token_id=0)[0, 3:].tolist()
    model = ours_of(theirs)
    with torch.no_grad():
        state, written = model.start(prompt[:, :-1], torch.tensor([2])), [int(prompt[0, -1])]
        for _ in range(length):
            logits, state = model.step(torch.tensor(written[-1:]), state)
            logits[:, 0] = -math.inf
            written.append(int(logits.argmax()))
    assert written[1:] == wanted
    [[best]] = decode(
        model,
        [prompt[0].tolist()],
        strategy=Greedy(),
        limits=Limits(max_length=length, offset=length, ratio=0.0, forbidden=(0,)),
        bos=1,
        eos=(),
        pad=0,
        prompts=ContinuedPrompts(0),
    )
    assert list(best.tokens) == wanted


@pytest.mark.parametrize("rope", ROPES)
def test_scaled_rotary_positions_are_theirs(rope):
    """To float32, in which theirs are."""
    theirs, ids = llama(rope_parameters={**ROPES[rope], "rope_theta": 100.0}), tokens(2, 17)
    ours = ours_of(theirs)
    with torch.no_grad():
        wanted = theirs(ids).logits
        assert_close(ours(ids), wanted, atol=2e-5, rtol=2e-5)
        if rope != "dynamic":  # which changes nothing up to the context
            assert float((llama()(ids).logits - wanted).abs().max()) > 0.01
        if rope != "longrope":  # of which only the factors in use are known
            again = back(ours, "llama", theirs)
            assert_close(again(ids).logits, wanted, atol=1e-6, rtol=0)


def test_older_files_say_rotary_positions_in_other_words():
    theirs = llama(rope_parameters={**ROPES["linear"], "rope_theta": 100.0})
    settings = theirs.config.to_dict()
    settings.pop("rope_parameters")
    older = {**settings, "rope_theta": 100.0, "rope_scaling": {"type": "linear", "factor": 3.0}}
    new = imported(theirs.config.to_dict(), theirs.state_dict()).config
    assert imported(older, theirs.state_dict()).config == new


def test_what_is_not_understood_is_refused():
    theirs = llama()
    settings, weights = theirs.config.to_dict(), theirs.state_dict()
    weights = {name: x for name, x in weights.items() if "theirs" not in name}
    for rope, said in (
        ({"rope_type": "spiral"}, "rope_type 'spiral'; known are default, linear"),
        ({"rope_type": "linear", "factor": 2.0, "twist": 1}, "twist of 'linear': not understood"),
        ({"rope_type": "default", "partial_rotary_factor": 0.5}, "of a part of a head"),
    ):
        with pytest.raises(ChoiceError, match=said):
            imported({**settings, "rope_parameters": rope}, weights)
    with pytest.raises(ChoiceError, match="attention_bias and mlp_bias need to be alike"):
        imported({**settings, "mlp_bias": True}, weights)
    qwen = llama("Qwen2", use_sliding_window=True, sliding_window=3, max_window_layers=1)
    with pytest.raises(ChoiceError, match="use_sliding_window is True"):
        imported(qwen.config.to_dict(), {})
    ours = ours_of(llama("Qwen3"))
    with pytest.raises(ChoiceError, match="query_key_norm False, and this one has True"):
        exported(ours.config, ours.state_dict(), "llama")
    ours = ours_of(gpt2())
    with pytest.raises(ChoiceError, match="norm_kind 'rms', and this one has 'layer'"):
        exported(ours.config, ours.state_dict(), "llama")
