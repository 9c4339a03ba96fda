"""Copy attention beside its definition, and in every decoder that looks."""

import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from reference.copying import probabilities
from regard.decoding import Beam, Limits, decode
from regard.errors import ChoiceError
from regard.models import build
from regard.models.copying import mixed
from regard.testing import check_seq2seq

ATTENTIVE = [
    "bahdanau-small",
    "luong-general-small",
    "luong-local-p-small",
    "gnmt-small",
    "transformer-tiny",
    "convs2s-small",
]
SMALL = {
    "bahdanau-small": {"hidden_dim": 6, "embedding_dim": 5, "attention_dim": 7, "readout_dim": 4},
    "luong-general-small": {"hidden_dim": 6, "embedding_dim": 5},
    "luong-local-p-small": {"hidden_dim": 6, "embedding_dim": 5},
    "gnmt-small": {"hidden_dim": 6, "embedding_dim": 5, "attention_dim": 7},
    "transformer-tiny": {"model_dim": 8, "hidden_dim": 12, "num_heads": 2},
    "convs2s-small": {"hidden_dim": 6, "embedding_dim": 5},
}


def small(name, *, extension=0, vocab=11, **changes):
    torch.manual_seed(0)
    sizes = {"source_vocab": vocab, "target_vocab": vocab, "copying": {"extension": extension}}
    return build(name, **sizes, **SMALL[name], **changes)


def example(*, vocab=5, extension=2):
    torch.manual_seed(1)
    logits = torch.randn(3, vocab, dtype=torch.float64)
    weights = torch.rand(3, 7, dtype=torch.float64).softmax(-1)
    source = torch.randint(vocab + extension, (3, 7))
    return logits, weights, source, torch.randn(3, 1, dtype=torch.float64)


def test_probabilities_are_those_of_the_definition():
    logits, weights, source, gate = example()
    found = mixed(logits.log_softmax(-1), weights, source, gate, 7).exp()
    for row in range(3):
        expected = probabilities(
            logits[row].tolist(), weights[row].tolist(), source[row].tolist(), gate[row].item(), 7
        )
        assert_close(found[row], torch.tensor(expected, dtype=torch.float64))


def test_gradients_are_those_of_finite_differences():
    logits, weights, source, gate = example(extension=0)

    def loss(logits, weights, gate):
        return mixed(logits.log_softmax(-1), weights, source, gate, 5)[:, 3]

    inputs = [one.requires_grad_() for one in (logits, weights, gate)]
    assert torch.autograd.gradcheck(loss, inputs)


def test_extreme_gates_and_weights_of_zero_give_numbers_and_finite_gradients():
    own = torch.tensor([[0.0, -200.0, -300.0]], requires_grad=True)
    weights = torch.tensor([[1.0, 0.0]], requires_grad=True)
    for value in (-120.0, 120.0):
        gate = torch.tensor([[value]], requires_grad=True)
        log_p = mixed(own.log_softmax(-1), weights, torch.tensor([[2, 1]]), gate, 4)
        assert log_p.isfinite().all()
        assert_close(log_p.exp().sum(), torch.tensor(1.0))
        for gradient in torch.autograd.grad(log_p.sum(), (own, weights, gate)):
            assert gradient.isfinite().all()


@pytest.mark.parametrize("name", ATTENTIVE)
def test_every_attentive_decoder_copies_and_keeps_the_contract(name):
    check_seq2seq(small(name))


def test_a_model_that_does_not_look_cannot_copy():
    with pytest.raises(ChoiceError, match="looks at its source"):
        build("gru-plain-small", source_vocab=7, target_vocab=7, copying={})


def test_two_vocabularies_cannot_be_copied_between():
    with pytest.raises(ChoiceError, match="joint"):
        build("bahdanau-small", source_vocab=7, target_vocab=8, copying={})


def test_a_word_that_only_the_source_has_is_read_as_unknown_and_copied_as_itself():
    model = small("bahdanau-small", extension=3).eval()
    source, lengths = torch.tensor([[5, 12, 6, 3]]), torch.tensor([4])
    target = torch.tensor([[2, 12, 5]])
    log_p = model(source, lengths, target)
    assert log_p.shape == (1, 3, 14)
    assert_close(log_p.exp().sum(-1), torch.ones(1, 3))
    read = model(torch.tensor([[5, 1, 6, 3]]), lengths, torch.tensor([[2, 1, 5]]))
    generated = [2, 4, 7, 8, 9, 10]  # what is not in either source
    assert_close(log_p[..., generated], read[..., generated])
    assert (log_p[..., 12] > log_p[..., 11] + 20).all()  # 11 and 13 are in no source
    assert_close(log_p[..., 11], log_p[..., 13])


def test_beam_search_writes_words_that_only_the_source_has():
    model = small("transformer-tiny", extension=2).eval()
    with torch.no_grad():
        model.gate.bias.fill_(-40.0)  # nothing is generated
    found = decode(
        model,
        [[11, 12, 3], [12, 3]],
        strategy=Beam(size=2),
        limits=Limits(min_length=2, max_length=4),
    )
    assert {token for best, *_ in found for token in best.tokens} <= {11, 12, 3}
    assert any(token > 10 for best, *_ in found for token in best.tokens)


def test_random_words_are_copied_by_a_model_that_could_not_learn_them():
    losses = {}
    for copying in ({}, None):
        torch.manual_seed(0)
        sizes = {"source_vocab": 400, "target_vocab": 400, "copying": copying, "dropout": 0.0}
        model = build("luong-local-m-small", hidden_dim=24, embedding_dim=24, **sizes)
        optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(60):
            words = torch.randint(4, 400, (32, 4))
            source = torch.cat([words, torch.full((32, 1), 3)], 1)
            target = torch.cat([torch.full((32, 1), 2), words], 1)
            logits = model(source, torch.full((32,), 5), target)
            loss = cross_entropy(logits.flatten(0, 1), source.flatten())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        losses[copying is not None] = loss.item()
    assert losses[True] < 2.5 < 4.0 < losses[False]  # log 396 is 6.0
