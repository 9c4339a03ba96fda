"""One contract for all encoders of text, held by each of them."""

import pytest
import torch
from pydantic import ValidationError
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from models.text.sentences import CHARACTERS, ENCODERS, LENGTHS, VOCAB, embedding, spelling, tokens
from regard.cells import LSTM, to_torch
from regard.errors import InputError, RangeError
from regard.lens import capture
from regard.models.text import (
    RecurrentEncoderConfig,
    TextConfig,
    TextEncoder,
    TransformerEncoderConfig,
    encoder,
)


def made(name, *, spelled=None):
    torch.manual_seed(0)
    config = TextConfig(
        vocab=VOCAB,
        characters=CHARACTERS if spelled else 0,
        embedding=embedding(spelled),
        encoder=ENCODERS[name],
    )
    return TextEncoder(config).double().eval()


@pytest.mark.parametrize("name", ENCODERS)
def test_a_feature_for_every_token_and_zero_beyond_the_end(name):
    model = made(name)
    features = model(tokens(), LENGTHS)
    assert features.shape == (3, 7, model.output_dim)
    beyond = torch.arange(7) >= LENGTHS[:, None]
    assert not features[beyond].any()
    assert features[~beyond].abs().sum(dim=-1).all()


@pytest.mark.parametrize("name", ENCODERS)
def test_padding_has_no_influence_whatever_it_holds_and_however_much_there_is(name):
    model = made(name)
    expected = model(tokens(), LENGTHS)
    wide = torch.cat([tokens(), torch.zeros(3, 2, dtype=torch.long)], dim=1)
    beyond = torch.arange(9) >= LENGTHS[:, None]
    assert_close(model(wide.masked_fill(beyond, 5), LENGTHS)[:, :7], expected)


@pytest.mark.parametrize("name", ENCODERS)
def test_a_sentence_alone_has_the_features_that_it_has_in_the_batch(name):
    model = made(name)
    together = model(tokens(), LENGTHS)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = model(tokens()[row : row + 1, :length], LENGTHS[row : row + 1])
        assert_close(alone[0], together[row, :length])


@pytest.mark.parametrize("name", ["lstm", "gru", "transformer", "conv"])
def test_every_parameter_learns(name):
    model = made(name)
    model(tokens(), LENGTHS).pow(2).sum().backward()
    assert all(one.grad is not None and one.grad.abs().any() for one in model.parameters())


def test_two_directions_are_torchs_over_packed_sequences_with_the_same_weights():
    torch.manual_seed(0)
    ours = encoder(RecurrentEncoderConfig(hidden_dim=6, num_layers=1), 5).double()
    layer = ours.layers[0]
    theirs = nn.LSTM(5, 3, bidirectional=True, batch_first=True).double()
    for suffix, cell in (("", layer.rightward.cell), ("_reverse", layer.leftward.cell)):
        assert isinstance(cell, LSTM)
        for name, value in to_torch(cell).state_dict().items():
            getattr(theirs, name + suffix).data.copy_(value)
    x = torch.randn(3, 7, 5, dtype=torch.double, requires_grad=True)
    packed = pack_padded_sequence(x, LENGTHS, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    found = ours(x, LENGTHS)
    assert_close(found, expected)
    weights = torch.randn_like(found)
    wanted = torch.autograd.grad((expected * weights).sum(), x)
    assert_close(torch.autograd.grad((found * weights).sum(), x), wanted)


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru", "mut1", "lstmn"])
def test_a_layer_is_what_its_cells_say_step_by_step(cell):
    torch.manual_seed(0)
    ours = encoder(RecurrentEncoderConfig(cell=cell, hidden_dim=6, num_layers=1), 5).double()
    layer, x = ours.layers[0], torch.randn(1, 4, 5, dtype=torch.double)
    fed = ours.projs[0](x)
    halves = []
    for one, steps in ((layer.rightward.cell, range(4)), (layer.leftward.cell, range(3, -1, -1))):
        state, outputs = one.start(1), {}
        for t in steps:
            outputs[t], state = one(fed[:, t], state)
        halves.append(torch.stack([outputs[t] for t in range(4)], dim=1))
    assert_close(ours(x, torch.tensor([4])), torch.cat(halves, dim=-1))


def test_a_transformer_encoder_is_seen_by_the_lens_and_looks_at_words_alone():
    model = made("transformer")
    with capture(model) as record:
        model(tokens(), LENGTHS)
    assert list(record) == [f"encoder.layers.{n}.attention" for n in range(2)]
    weights = record["encoder.layers.0.attention"].weights  # (B, H, N, N)
    assert_close(weights[1, :, :4].sum(dim=-1), torch.ones(2, 4, dtype=torch.double))
    assert not weights[1, :, :, 4:].any()


@pytest.mark.parametrize("name", ["recurrent", "conv"])
def test_a_word_is_spelled_once_and_its_vector_stands_wherever_the_word_does(name):
    model = made("lstm", spelled=name)
    words = spelling()
    embedded = model.embedding(tokens(), words)
    assert embedded.shape == (3, 7, 5 + model.embedding.spelled.output_dim)
    vectors = model.embedding.spelled(words)
    assert_close(embedded[..., 5:], vectors[words.index])
    assert not vectors[0].any()
    for row, length in enumerate(words.lengths.tolist()):
        alone = words._replace(
            characters=words.characters[row : row + 1, : max(1, length)],
            lengths=words.lengths[row : row + 1],
        )
        assert_close(model.embedding.spelled(alone)[0], vectors[row])


def test_words_without_their_characters_are_refused_where_these_are_looked_at():
    with pytest.raises(InputError, match="characters of words too: pass spelling"):
        made("lstm", spelled="conv")(tokens(), LENGTHS)


def test_some_words_are_read_as_unknown_in_training_and_none_otherwise():
    torch.manual_seed(0)
    config = TextConfig(vocab=VOCAB, embedding=embedding(word_dropout=0.5, dropout=0.0))
    model = TextEncoder(config).embedding
    many = torch.full((40, 50), 9)
    many[:, 45:] = 0
    unknown = model.table(torch.tensor(1))
    read = model.train()(many).eq(unknown).all(dim=-1)
    assert 0.45 < read[:, :45].float().mean() < 0.55
    assert not read[:, 45:].any()
    assert not model.eval()(many).eq(unknown).all(dim=-1).any()


def test_a_feature_is_dropped_from_a_whole_sentence_or_not_at_all():
    torch.manual_seed(0)
    config = TextConfig(vocab=VOCAB, embedding=embedding(dropout=0.5))
    dropped = TextEncoder(config).embedding.train()(torch.full((8, 6), 9)).eq(0)
    assert dropped.any() and not dropped.all()
    assert torch.equal(dropped.all(dim=1), dropped.any(dim=1))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: RecurrentEncoderConfig(hidden_dim=5), "even hidden_dim, got 5"),
        (lambda: TransformerEncoderConfig(model_dim=9, num_heads=2), "divide model_dim 9"),
        (lambda: TextConfig(vocab=2), "among the 2 tokens"),
        (lambda: TextConfig(vocab=9, embedding=embedding("conv")), "spelling needs characters"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(make, said):
    with pytest.raises(ValidationError, match=said):
        make()


def test_lengths_that_do_not_fit_are_refused():
    with pytest.raises(RangeError, match="lengths need to be from 0 to 7"):
        made("conv")(tokens(), LENGTHS + 1)
