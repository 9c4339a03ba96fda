"""BERT's numbers are those of transformers, there and back."""

import pytest
import torch
from torch.testing import assert_close

from models.interop.theirs import VOCAB, back, ours_of, random_model, tokens, transformers
from regard.errors import ChoiceError, ShapeError
from regard.models import build
from regard.models.interop import exported, imported

SIZES = {
    "vocab_size": VOCAB,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 11,
    "type_vocab_size": 3,
}


def bert(kind="BertForMaskedLM", **fields):
    config = transformers.BertConfig(**{**SIZES, **fields})
    return random_model(getattr(transformers, kind), config)


def batch():
    lengths = torch.tensor([7, 5])
    real = torch.arange(7) < lengths.unsqueeze(-1)
    segments = torch.randint(0, 3, (2, 7), generator=torch.Generator().manual_seed(2))
    return tokens(2, 7), lengths, real, segments


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float64, 1e-9), (torch.float32, 1e-4)])
@pytest.mark.parametrize("activation", ["gelu"])
def test_logits_of_hidden_tokens_are_theirs(dtype, atol, activation):
    theirs = bert(hidden_act=activation)
    ids, lengths, real, segments = batch()
    with torch.no_grad():
        wanted = theirs(ids, attention_mask=real.long(), token_type_ids=segments).logits
        found = ours_of(theirs, dtype)(ids, lengths, segments)
    assert_close(found[real].double(), wanted[real], atol=atol, rtol=atol)


@pytest.mark.parametrize("activation", ["relu", "gelu_new", "silu"])
def test_features_and_pooler_are_theirs_with_any_activation(activation):
    theirs = bert("BertModel", hidden_act=activation, layer_norm_eps=0.1)
    ids, lengths, real, segments = batch()
    ours = ours_of(theirs)
    assert not ours.config.head
    with torch.no_grad():
        wanted = theirs(ids, attention_mask=real.long(), token_type_ids=segments)
        found = ours.text(ids, lengths, segments=segments)
        pooled = ours.pooler(found, lengths)
    assert_close(found[real], wanted.last_hidden_state[real], atol=1e-9, rtol=0)
    assert_close(pooled, wanted.pooler_output, atol=1e-9, rtol=0)


@pytest.mark.parametrize("kind", ["BertForMaskedLM", "BertModel"])
def test_what_goes_out_again_computes_the_same(kind):
    theirs = bert(kind)
    ids, _, real, segments = batch()
    with torch.no_grad():
        wanted, found = (
            model(ids, attention_mask=real.long(), token_type_ids=segments)[0]
            for model in (theirs, back(ours_of(theirs), "bert", theirs))
        )
    assert_close(found, wanted, atol=1e-12, rtol=0)


def test_names_and_settings_that_are_not_understood_are_refused():
    theirs = bert()
    settings, weights = theirs.config.to_dict(), theirs.state_dict()
    with pytest.raises(ChoiceError, match=r"no place for, classifier.weight"):
        imported(settings, {**weights, "classifier.weight": torch.ones(2, 12)})
    short = {name: x for name, x in weights.items() if "layer.1.output.dense" not in name}
    with pytest.raises(ChoiceError, match=r"lack encoder.layer.1.output.dense.bias"):
        imported(settings, short)
    with pytest.raises(ShapeError, match=r"feed_forward.input_proj.* of shape \(21"):
        imported({**settings, "intermediate_size": 21}, weights)
    with pytest.raises(ChoiceError, match="says wings, which is not understood"):
        imported({**settings, "wings": 2}, weights)
    with pytest.raises(ChoiceError, match="says is_decoder is True"):
        imported({**settings, "is_decoder": True}, weights)
    with pytest.raises(ChoiceError, match="unknown family of models 'birt'"):
        imported({**settings, "model_type": "birt"}, weights)
    untied = weights | {"cls.predictions.decoder.weight": torch.zeros(VOCAB, 12)}
    with pytest.raises(ChoiceError, match="need to be one tensor"):
        imported(settings, untied)


def test_the_head_of_next_sentences_is_left_out_and_named():
    theirs = bert("BertForPreTraining")
    found = imported(theirs.config.to_dict(), theirs.state_dict())
    assert found.left_out == ("cls.seq_relationship.bias", "cls.seq_relationship.weight")
    assert found.config.head
    assert found.config.pooler


def test_what_bert_is_not_is_refused():
    ours = build("bert-tiny", vocab=VOCAB)
    with pytest.raises(ChoiceError, match="norm 'post', and this one has 'pre'"):
        exported(ours.config, ours.state_dict(), "bert")
