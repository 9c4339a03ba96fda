"""BERT: Hugging Face's numbers by copied weights, logits where they are asked for."""

import pytest
import torch
from torch.testing import assert_close

from regard.errors import ChoiceError
from regard.models import Bert, BertConfig, build
from regard.models.text import EmbeddingConfig, TransformerEncoderConfig

VOCAB, WIDTH, HEADS, LAYERS, HIDDEN, LONGEST = 23, 12, 3, 2, 20, 11


def devlin(**changes):
    """BERT as published, tiny: learned positions, norms behind sublayers and on the input."""
    encoder = TransformerEncoderConfig(
        model_dim=WIDTH,
        num_heads=HEADS,
        num_layers=LAYERS,
        hidden_dim=HIDDEN,
        norm="post",
        activation="gelu",
        position="learned",
        max_length=LONGEST,
        input_norm=True,
        **changes,
    )
    embedding = EmbeddingConfig(dim=WIDTH, dropout=0.0)
    return BertConfig(vocab=VOCAB, embedding=embedding, encoder=encoder)


def copied(theirs, ours):
    """The weights of ``BertForMaskedLM`` under our names.

    Ours reads embeddings √M times as long as they are stored: the table is divided by it, and the
    norm before the tied output layer multiplied.
    """
    root, state = WIDTH**0.5, theirs.state_dict()
    bert, head = "bert.embeddings.", "cls.predictions."
    found = {
        "text.embedding.table.weight": state[f"{bert}word_embeddings.weight"] / root,
        "text.encoder.position.table": state[f"{bert}position_embeddings.weight"]
        + state[f"{bert}token_type_embeddings.weight"][0],
        "final_norm.weight": state[f"{head}transform.LayerNorm.weight"] * root,
        "final_norm.bias": state[f"{head}transform.LayerNorm.bias"] * root,
        "output.proj.bias": state[f"{head}bias"],
        "output.proj.weight": state[f"{bert}word_embeddings.weight"] / root,
    }
    maps = {
        "text.encoder.input_norm": f"{bert}LayerNorm",
        "final_proj": f"{head}transform.dense",
    }
    for layer in range(LAYERS):
        here, there = f"text.encoder.layers.{layer}.", f"bert.encoder.layer.{layer}."
        maps |= {
            f"{here}attention.output_proj": f"{there}attention.output.dense",
            f"{here}around_attention.norm": f"{there}attention.output.LayerNorm",
            f"{here}feed_forward.input_proj": f"{there}intermediate.dense",
            f"{here}feed_forward.output_proj": f"{there}output.dense",
            f"{here}around_feed_forward.norm": f"{there}output.LayerNorm",
        }
        for part in ("weight", "bias"):
            rows = [state[f"{there}attention.self.{m}.{part}"] for m in ("query", "key", "value")]
            found[f"{here}attention.in_proj.{part}"] = torch.cat(rows)
    for name, other in maps.items():
        found |= {f"{name}.{part}": state[f"{other}.{part}"] for part in ("weight", "bias")}
    ours.load_state_dict(found)
    return ours


def test_bert_has_the_logits_of_hugging_face_with_its_weights():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    theirs = transformers.BertForMaskedLM(
        transformers.BertConfig(
            vocab_size=VOCAB,
            hidden_size=WIDTH,
            num_attention_heads=HEADS,
            num_hidden_layers=LAYERS,
            intermediate_size=HIDDEN,
            max_position_embeddings=LONGEST,
            layer_norm_eps=1e-5,
            initializer_range=0.5,
        )
    ).eval()
    ours = copied(theirs, Bert(devlin())).eval()
    lengths = torch.tensor([7, 5, 2])
    tokens = torch.randint(4, VOCAB, (3, 7))
    real = torch.arange(7) < lengths[:, None]
    tokens = tokens.where(real, torch.tensor(0))
    with torch.no_grad():
        wanted = theirs(tokens, attention_mask=real.long()).logits
        got = ours(tokens, lengths)
    assert wanted[real].std() > 0.5
    assert_close(got[real], wanted[real], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("position", ["learned", "rotary", "sinusoidal"])
def test_logits_at_some_places_are_those_of_all_places(position):
    torch.manual_seed(0)
    model = build(
        "bert-tiny",
        vocab=VOCAB,
        encoder=TransformerEncoderConfig(
            model_dim=128, num_heads=2, num_layers=1, position=position
        ).model_dump(),
    ).eval()
    tokens, lengths = torch.randint(4, VOCAB, (2, 5)), torch.tensor([5, 3])
    places = torch.zeros(2, 5, dtype=torch.bool)
    places[0, 1] = places[0, 4] = places[1, 2] = True
    some = model.output(model.features_at(places, tokens, lengths))
    assert_close(some, model(tokens, lengths)[places])


def test_the_output_layer_is_the_embedding():
    model = build("bert-tiny", vocab=VOCAB)
    assert model.output.proj.weight is model.text.embedding.table.weight


def test_a_place_is_left_for_the_class_token():
    assert devlin().longest == LONGEST - 1


def test_a_mask_outside_of_the_vocabulary_is_told():
    with pytest.raises(ChoiceError, match="mask needs to be among the 23 tokens"):
        build(devlin(), mask=23)
