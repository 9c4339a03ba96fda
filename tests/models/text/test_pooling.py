"""Every pooling beside a plain loop, and the models around it."""

import pytest
import torch
from torch.testing import assert_close

from models.text.sentences import (
    CHARACTERS,
    ENCODERS,
    LABELS,
    LENGTHS,
    VOCAB,
    embedding,
    spelling,
    tokens,
)
from reference import pooling as reference
from regard.lens import capture
from regard.models import build
from regard.models.text import ClassifierConfig, PoolingConfig, TaggerConfig, encoder, pooling

COUNTS = torch.tensor([4, 2, 0])


def pooled(kind, name="lstm"):
    torch.manual_seed(0)
    reader = encoder(ENCODERS[name], 5)
    module = pooling(PoolingConfig(kind=kind, attention_dim=7), reader).double()
    features = torch.randn(3, 4, reader.output_dim, dtype=torch.double)
    features = features.where((torch.arange(4) < COUNTS[:, None])[..., None], 0)
    return module, features


def rows(features):
    return zip(features.tolist(), COUNTS.tolist(), strict=True)


@pytest.mark.parametrize("name", ["lstm", "lstm to the right", "conv"])
def test_the_last_state_is_that_of_either_direction(name):
    module, features = pooled("last", name)
    expected = [reference.last(x, n, both=name == "lstm") for x, n in rows(features)]
    assert_close(module(features, COUNTS), torch.tensor(expected, dtype=torch.double))


@pytest.mark.parametrize(("kind", "loop"), [("mean", reference.mean), ("max", reference.maximum)])
def test_mean_and_maximum_are_those_of_a_plain_loop(kind, loop):
    module, features = pooled(kind)
    expected = [loop(x, n) for x, n in rows(features)]
    assert_close(module(features, COUNTS), torch.tensor(expected, dtype=torch.double))


def test_attention_is_that_of_a_plain_loop_and_the_lens_sees_its_weights():
    module, features = pooled("attention")
    inner = module.attention
    own = {
        "v": inner.score.v.tolist(),
        "weight": inner.score.key_weight.tolist(),
        "bias": inner.queries[0].tolist(),
    }
    with capture(module) as record:
        found = module(features, COUNTS)
    expected = [reference.attention(x, n, **own) for x, n in rows(features)]
    assert_close(found, torch.tensor(expected, dtype=torch.double))
    weights = record["attention"].weights[:, 0]  # (B, N)
    for row, (x, n) in enumerate(rows(features)):
        wanted = reference.attention_weights(x, n, **own) if n else []
        assert_close(weights[row, :n], torch.tensor(wanted, dtype=torch.double))
        assert not weights[row, n:].any()


@pytest.mark.parametrize("kind", ["last", "mean", "max", "attention", "class_token"])
@pytest.mark.parametrize("name", ["gru", "transformer", "conv"])
def test_a_text_alone_has_the_logits_that_it_has_in_the_batch(kind, name):
    torch.manual_seed(0)
    model = build(
        ClassifierConfig(
            vocab=VOCAB,
            labels=LABELS,
            embedding=embedding(),
            encoder=ENCODERS[name],
            pooling=PoolingConfig(kind=kind),
        )
    )
    model = model.double().eval()
    together = model(tokens(), LENGTHS)
    assert together.shape == (3, LABELS)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = model(tokens()[row : row + 1, :length], LENGTHS[row : row + 1])
        assert_close(alone[0], together[row])


def test_a_class_token_stands_before_the_text_and_has_no_characters():
    torch.manual_seed(0)
    config = ClassifierConfig(
        vocab=VOCAB,
        characters=CHARACTERS,
        labels=LABELS,
        embedding=embedding("conv"),
        encoder=ENCODERS["transformer"],
        pooling=PoolingConfig(kind="class_token"),
    )
    model, words = build(config).double().eval(), spelling()
    zero = torch.zeros(3, 1, dtype=torch.long)
    before = words._replace(index=torch.cat([zero, words.index], dim=1))
    features = model.text(torch.cat([zero + 2, tokens()], dim=1), LENGTHS + 1, before)
    assert_close(model(tokens(), LENGTHS, words), model.output(features[:, 0]))


def test_a_tagger_has_logits_for_every_word_by_its_feature():
    torch.manual_seed(0)
    config = TaggerConfig(
        vocab=VOCAB,
        characters=CHARACTERS,
        labels=LABELS,
        embedding=embedding("recurrent"),
        encoder=ENCODERS["gru"],
    )
    model = build(config).double().eval()
    found = model(tokens(), LENGTHS, spelling())
    features = model.text(tokens(), LENGTHS, spelling())
    assert found.shape == (3, 7, LABELS)
    assert_close(found, features @ model.output.weight.T + model.output.bias)
