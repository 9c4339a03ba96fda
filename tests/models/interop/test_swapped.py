"""A mechanism swapped into a model of transformers is that mechanism in ours, with its weights."""

import pytest
import torch
from torch.testing import assert_close

from models.interop import test_bert, test_language, test_seq2seq
from models.interop.theirs import tokens
from regard import masks, scores
from regard.lens import swap
from regard.models import build
from regard.models.interop import imported

MODELS = {
    "bert": test_bert.bert,
    "gpt2": test_language.gpt2,
    "llama": test_language.llama,
    "qwen3": lambda: test_language.llama("Qwen3"),
    "t5": test_seq2seq.t5,
    "marian": test_seq2seq.marian,
}
SWAPS = {
    "entmax15": ({"normalise": "entmax15"}, {"normalise": "entmax15"}),
    "dot": ({"score": scores.Dot()}, {"score": "dot"}),
}


def ours_with(theirs, **choices):
    """Our model with their weights, and another mechanism in every attention."""
    found = imported(theirs.config.to_dict(), theirs.state_dict())
    config = found.config
    if "encoder" in type(config).model_fields:  # the choices of a BERT are those of its encoder
        choices = {"encoder": config.encoder.model_copy(update=choices)}
    ours = build(config.model_copy(update=choices)).double().eval()
    ours.load_state_dict(found.weights)
    return ours


PAIRS = [(name, choice) for name in MODELS for choice in SWAPS if (name, choice) != ("t5", "dot")]
"""All but the score that is T5's own."""


@pytest.mark.parametrize(("name", "choice"), PAIRS)
def test_logits_are_those_of_our_model_built_with_it(name, choice):
    theirs, (swapped, built) = MODELS[name](), SWAPS[choice]
    ids, target = tokens(2, 7), tokens(2, 5, seed=2)
    lengths, pair = torch.tensor([7, 7]), name in ("t5", "marian")
    given = {"decoder_input_ids": target} if pair else {}
    with torch.no_grad():
        plain = theirs(ids, **given).logits
        with swap(theirs, **swapped):
            found = theirs(ids, **given).logits
        ours = ours_with(theirs, **built)
        wanted = (
            ours(ids, lengths, target)
            if pair
            else ours(ids, lengths)
            if name == "bert"
            else ours(ids)
        )
    assert_close(found, wanted, atol=1e-9, rtol=1e-9)
    assert not torch.allclose(found, plain)


def test_a_window_in_a_gpt_2_is_that_of_our_model():
    theirs, ids = test_language.gpt2(), tokens(2, 9)
    with torch.no_grad(), swap(theirs, mask=masks.window(2, 0)):
        found = theirs(ids).logits
    with torch.no_grad():
        assert_close(found, ours_with(theirs, window=3)(ids), atol=1e-9, rtol=1e-9)


def test_training_what_is_swapped_in_gives_the_gradients_of_our_model():
    theirs, ids = test_language.gpt2(), tokens(2, 9)
    ours = ours_with(theirs, normalise="entmax15")
    with swap(theirs, normalise="entmax15"):
        theirs(ids).logits.square().mean().backward()
    ours(ids).square().mean().backward()
    given = theirs.transformer.h[0].attn.c_attn.weight.grad
    assert_close(given.t(), ours.layers[0].attention.in_proj.weight.grad, atol=1e-9, rtol=1e-6)
