"""Encoders with decoders: logits and greedy text are those of transformers, there and back."""

import pytest
import torch
from torch.testing import assert_close

from models.interop.theirs import VOCAB, back, ours_of, random_model, tokens, transformers
from regard.decoding import Greedy, Limits, decode
from regard.errors import ChoiceError
from regard.models.interop import imported

T5 = {
    "vocab_size": VOCAB,
    "d_model": 12,
    "d_kv": 5,
    "d_ff": 14,
    "num_layers": 3,
    "num_decoder_layers": 2,
    "num_heads": 2,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 11,
    "decoder_start_token_id": 0,
}
MARIAN = {
    "vocab_size": VOCAB,
    "decoder_vocab_size": VOCAB,
    "d_model": 12,
    "encoder_layers": 3,
    "decoder_layers": 2,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 14,
    "decoder_ffn_dim": 14,
    "max_position_embeddings": 20,
    "pad_token_id": VOCAB - 1,
    "decoder_start_token_id": VOCAB - 1,
    "eos_token_id": 0,
    "forced_eos_token_id": None,
}


def t5(**fields):
    config = transformers.T5Config(**{**T5, **fields})
    return exact(random_model(transformers.T5ForConditionalGeneration, config))


def marian(**fields):
    config = transformers.MarianConfig(**{**MARIAN, **fields})
    return exact(random_model(transformers.MarianMTModel, config))


def exact(model):
    """Theirs round variances and sines to float32, whatever they compute in: not these."""
    for parent in list(model.modules()):
        for name, part in list(parent.named_children()):
            if type(part).__name__ == "T5LayerNorm":
                eps = model.config.layer_norm_epsilon
                norm = torch.nn.RMSNorm(part.weight.shape, eps=eps).double()
                norm.load_state_dict(part.state_dict())
                setattr(parent, name, norm)
            if name == "embed_positions":
                rows, width = part.weight.shape
                theta = 10000.0 ** (-torch.arange(0, width, 2).double() / width)
                angles = torch.arange(rows).double()[:, None] * theta
                part.weight.data = torch.cat([angles.sin(), angles.cos()], dim=-1)
    return model


MODELS = {
    "t5": lambda: t5(),
    "t5, version 1.1": lambda: t5(
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, layer_norm_epsilon=0.1
    ),
    "marian": lambda: marian(),
    "marian, scaled": lambda: marian(scale_embedding=True, activation_function="swish"),
}


def batch():
    lengths = torch.tensor([13, 7])
    source, real = tokens(2, 13), torch.arange(13) < lengths.unsqueeze(-1)
    return source % (VOCAB - 1), lengths, real, tokens(2, 5, seed=2) % (VOCAB - 1)


@pytest.mark.parametrize("name", MODELS)
def test_logits_are_theirs_there_and_back(name):
    theirs = MODELS[name]()
    source, lengths, real, target = batch()
    ours = ours_of(theirs)
    again = exact(back(ours, name.partition(",")[0], theirs))
    asked = {"attention_mask": real.long(), "decoder_input_ids": target}
    with torch.no_grad():
        wanted = theirs(source, **asked).logits
        assert_close(ours(source, lengths, target), wanted, atol=1e-9, rtol=1e-9)
        single = ours_of(theirs, torch.float32)(source, lengths, target)
        assert_close(single.double(), wanted, atol=1e-4, rtol=1e-4)
        assert_close(again(source, **asked).logits, wanted, atol=1e-9, rtol=0)


def test_an_output_layer_of_its_own_is_kept():
    theirs = t5(tie_word_embeddings=False)
    source, lengths, real, target = batch()
    theirs.lm_head.weight = torch.nn.Parameter(torch.randn(VOCAB, 12).double())
    ours = ours_of(theirs)
    assert (ours.config.tied, ours.config.output_factor) == (False, 1.0)
    with torch.no_grad():
        wanted = theirs(source, attention_mask=real.long(), decoder_input_ids=target).logits
        assert_close(ours(source, lengths, target), wanted, atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("name", ["t5", "marian"])
def test_greedy_text_is_theirs_token_for_token(name):
    theirs = MODELS[name]()
    source, lengths, real, _ = batch()
    config, length = theirs.config, 9
    start, end, pad = config.decoder_start_token_id, config.eos_token_id, config.pad_token_id
    with torch.no_grad():
        wanted = theirs.generate(
            source, attention_mask=real.long(), do_sample=False, num_beams=1, max_new_tokens=length
        )
    rows = [row[:count].tolist() for row, count in zip(source, lengths, strict=True)]
    found = decode(
        ours_of(theirs),
        rows,
        strategy=Greedy(),
        limits=Limits(max_length=length, offset=length, ratio=0.0, forbidden=(pad,)),
        bos=start,
        eos=(end,),
        pad=pad,
    )
    for [best], row in zip(found, wanted.tolist(), strict=True):
        said = [token for token in row[1:] if token != pad]
        assert list(best.tokens) == (said[: said.index(end)] if end in said else said)


def test_stacks_that_differ_and_gates_that_nobody_knows_are_refused():
    theirs = marian(decoder_ffn_dim=7)
    with pytest.raises(ChoiceError, match="decoder_ffn_dim is 7, which this model cannot be"):
        imported(theirs.config.to_dict(), theirs.state_dict())
    theirs = t5()
    settings = {**theirs.config.to_dict(), "feed_forward_proj": "gated-sine"}
    with pytest.raises(ChoiceError, match="feed_forward_proj is 'gated-sine', which is not known"):
        imported(settings, theirs.state_dict())
