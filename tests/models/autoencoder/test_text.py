"""Autoencoders of text: one vector, and the same numbers in parallel and step by step."""

import pytest
import torch
from pydantic import ValidationError
from torch.testing import assert_close

from models.text.sentences import ENCODERS, LENGTHS, VOCAB, embedding, tokens
from reference import autoencoding as reference
from regard.cells import to_torch
from regard.decoding import decode
from regard.errors import ChoiceError
from regard.models import TextAutoencoder, TextAutoencoderConfig, build
from regard.models.autoencoder import RecurrentDecoderConfig, TransformerDecoderConfig

LATENT = 6
DECODERS = {
    "rnn": RecurrentDecoderConfig(cell="rnn", embedding_dim=3, hidden_dim=5),
    "gru": RecurrentDecoderConfig(embedding_dim=3, hidden_dim=5, num_layers=2),
    "lstm": RecurrentDecoderConfig(cell="lstm", embedding_dim=4, hidden_dim=7),
    "transformer": TransformerDecoderConfig(
        model_dim=12, num_heads=3, hidden_dim=10, num_layers=2, slots=5, position="learned"
    ),
    "rotary": TransformerDecoderConfig(
        model_dim=12, num_heads=2, hidden_dim=10, num_layers=1, slots=2, position="rotary"
    ),
}
POOLINGS = ("last", "mean", "max", "attention", "class_token")


def made(decoder="gru", encoder="lstm", pooling="attention"):
    torch.manual_seed(0)
    config = TextAutoencoderConfig(
        vocab=VOCAB,
        latent=LATENT,
        embedding=embedding(None),
        encoder=ENCODERS[encoder] if encoder in ENCODERS else next(iter(ENCODERS.values())),
        pooling={"kind": pooling},
        decoder=DECODERS[decoder],
    )
    return TextAutoencoder(config).double().eval()


def written(steps=4):
    return torch.randint(4, VOCAB, (3, steps), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("name", DECODERS)
def test_steps_are_the_same_as_all_positions_at_once(name):
    model = made(name)
    logits = model(tokens(), LENGTHS, written())
    assert logits.shape == (3, 4, VOCAB)
    state = model.start(tokens(), LENGTHS)
    for place, token in enumerate(written().T):
        found, state = model.step(token, state)
        assert_close(found, logits[:, place])
    rows = torch.tensor([2, 0, 0])
    again, _ = model.step(written()[rows, 0], state.reorder(rows))
    first, _ = model.step(written()[:, 0], state)
    assert_close(again, first[rows])


@pytest.mark.parametrize("name", DECODERS)
def test_a_later_token_never_changes_an_earlier_position(name):
    model, other = made(name), written().clone()
    other[:, 2:] = 4
    before, after = (model(tokens(), LENGTHS, one) for one in (written(), other))
    assert_close(before[:, :2], after[:, :2])
    assert not torch.allclose(before[:, 3], after[:, 3])


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_what_stands_beyond_a_length_has_no_influence(encoder, pooling):
    model = made(encoder=encoder, pooling=pooling)
    latent = model.encode(tokens(), LENGTHS)
    assert latent.shape == (3, LATENT)
    beyond = torch.arange(tokens().shape[1]) >= LENGTHS[:, None]
    garbage = tokens().masked_fill(beyond, 5)
    assert_close(model.encode(garbage, LENGTHS), latent)
    row, length = 1, int(LENGTHS[1])
    alone = model.encode(tokens()[row : row + 1, :length], LENGTHS[row : row + 1])
    assert_close(alone[0], latent[row])


@pytest.mark.parametrize("name", DECODERS)
def test_all_that_is_known_of_a_text_is_its_latent(name):
    model = made(name)
    latent = model.encode(tokens(), LENGTHS)
    assert_close(
        model.output(model.decoder(latent, written())), model(tokens(), LENGTHS, written())
    )
    model(tokens(), LENGTHS, written()).sum().backward()
    assert all(one.grad is not None for one in model.parameters())
    for part in (model.latent.weight, *model.text.parameters()):
        assert part.grad.abs().sum() > 0


def test_the_recurrent_decoder_is_shown_the_latent_in_every_step():
    model = made("rnn")
    decoder, latent = model.decoder, model.encode(tokens(), LENGTHS)
    theirs = to_torch(decoder.layers)
    table = (decoder.embedding.weight * 3**0.5).tolist()

    def step(fed, state):
        state = theirs(torch.tensor([[fed]]).double(), torch.tensor([[state]]).double())[1]
        return state.flatten().tolist()

    features = decoder(latent, written())
    for row in range(3):
        expected = reference.recurrent_features(
            latent[row].tolist(),
            written()[row].tolist(),
            embedding=table,
            step=step,
            start=[0.0] * 5,
        )
        assert_close(features[row], torch.tensor(expected).double())


def test_greedy_decoding_is_the_same_alone_and_among_others():
    model = made("transformer").float()
    sources = [[4, 5, 6, 7], [5], [6, 4]]
    together = decode(model, sources)
    alone = [decode(model, [source])[0] for source in sources]
    assert [one[0].tokens for one in together] == [one[0].tokens for one in alone]


def test_words_are_dropped_from_what_is_written_in_training_only():
    torch.manual_seed(0)
    config = made("gru").config
    dropping = config.decoder.model_copy(update={"word_dropout": 0.5})
    model = TextAutoencoder(config.model_copy(update={"decoder": dropping}))
    seen = model.decoder.train().seen(torch.full((7, 50), 5))
    assert (seen[:, 0] == 5).all() and 0.3 < float((seen == config.unknown).float().mean()) < 0.7
    assert (model.decoder.eval().seen(seen) == seen).all()


def test_a_text_is_as_long_as_encoder_and_decoder_have_positions():
    learned = {"kind": "transformer", "position": "learned"}
    config = TextAutoencoderConfig(
        vocab=9,
        encoder=learned | {"max_length": 20},
        pooling={"kind": "class_token"},
        decoder=learned | {"max_length": 12},
    )
    assert config.longest == 11
    assert config.model_copy(update={"decoder": DECODERS["gru"]}).longest == 19
    assert made("gru").config.longest is None


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValidationError, match="reads no spelling"):
        TextAutoencoderConfig(vocab=9, characters=5, embedding={"spelling": {}})
    with pytest.raises(ChoiceError, match=r"needs to know how many tokens .* vocab="):
        build("gru-autoencoder")


@pytest.mark.parametrize("name", ["gru-autoencoder", "lstm-autoencoder", "transformer-autoencoder"])
def test_presets_read_and_write(name):
    model = build(name, vocab=11)
    assert model.config.latent == 256
    logits = model(
        torch.tensor([[4, 5, 6], [7, 0, 0]]), torch.tensor([3, 1]), torch.full((2, 2), 2)
    )
    assert logits.shape == (2, 2, 11)
    assert build("autoencoder", vocab=11).config.kind == "text-autoencoder"
