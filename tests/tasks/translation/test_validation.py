"""Scores of a model whose answers are known."""

import math

import pytest
import torch

from reference import metrics as reference
from regard.data.vocabulary import Vocabularies, learn
from regard.measures import Threshold
from regard.tasks.translation import HeldOut
from regard.tasks.translation.validation import TranslationValidator
from training.scripted import Phrasebook
from training.small import WORDS

CONFIDENCE = 2.0
HELD_OUT = [
    HeldOut("bo da", ("ru ti",), frozenset({(0, 1), (1, 0)})),
    HeldOut("fe gi ku la bo", ("ti vi ne mo sa", "sa mo ne vi ti"), frozenset({(4, 0), (3, 1)})),
    HeldOut("la pa fe da gi", ("vi sa ru mo",)),
]
ANSWERS = {
    "bo da": [("ru", 1), ("ti", 0)],
    "fe gi ku la bo": [("sa", 0), ("mo", 1), ("ne", 2), ("vi", 3), ("ti", 4)],
    "la pa fe da gi": [("vi", 0), ("sa", 2), ("ru", 3), ("zo", 1)],
}
TEXTS = [" ".join(word for word, _ in answer) for answer in ANSWERS.values()]


@pytest.fixture(scope="module")
def vocabularies():
    return Vocabularies(learn("words", list(WORDS)), learn("words", list(WORDS.values())))


@pytest.fixture
def model(vocabularies):
    source, target = vocabularies
    phrases = {
        (*source.encode(text), source.eos): [(target.encode(word)[0], at) for word, at in answer]
        for text, answer in ANSWERS.items()
    }
    return Phrasebook(phrases, vocab=len(target), confidence=CONFIDENCE)


def validated(model, vocabularies, held_out=HELD_OUT, samples=(), **options):
    validator = TranslationValidator(held_out, list(samples), vocabularies, **options)
    return validator.validate(model)


def expected_loss(vocab):
    """What each token of the first references costs, by hand."""
    total, count = 0.0, 0
    for one in HELD_OUT:
        said = [*(word for word, _ in ANSWERS[one.source]), "the end"]
        for place, word in enumerate([*one.references[0].split(), "the end"]):
            right = said[min(place, len(said) - 1)] == word
            total += math.log(math.exp(CONFIDENCE) + vocab - 1) - CONFIDENCE * right
            count += 1
    return total / count


def test_the_loss_is_of_the_first_references_per_token(model, vocabularies):
    found = validated(model, vocabularies).scores["loss"]
    assert found == pytest.approx(expected_loss(len(vocabularies.target)), rel=1e-6)


@pytest.mark.parametrize("max_tokens", [1, 12, 4096])
def test_it_does_not_matter_how_sentences_are_put_in_batches(model, vocabularies, max_tokens):
    found = validated(model, vocabularies, max_tokens=max_tokens).scores
    assert found == pytest.approx(validated(model, vocabularies).scores, rel=1e-6)


def test_translations_are_compared_with_all_references(model, vocabularies):
    found = validated(model, vocabularies).scores
    references = [one.references for one in HELD_OUT]
    assert found["exact"] == pytest.approx(2 / 3)
    assert found["bleu"] == pytest.approx(reference.bleu(TEXTS, references))
    assert found["chrf"] == pytest.approx(reference.chrf(TEXTS, references))
    assert 0 < found["bleu"] < 100


def test_attention_is_compared_with_gold_while_the_reference_is_read(model, vocabularies):
    found = validated(model, vocabularies).scores
    sentences = []
    for one in HELD_OUT[:2]:
        linked = {(at, place) for place, (_, at) in enumerate(ANSWERS[one.source])}
        sentences.append((linked, one.alignment, one.alignment))
    assert found["aer"] == pytest.approx(reference.error_rate(sentences))
    assert found["aer"] > 0


def test_which_words_are_linked_is_a_rule(model, vocabularies):
    nothing_linked = validated(model, vocabularies, rule=Threshold(above=1.0)).scores
    assert nothing_linked["aer"] == 1


def test_without_gold_there_is_no_error_rate(model, vocabularies):
    without = [one._replace(alignment=None) for one in HELD_OUT]
    assert validated(model, vocabularies, without).scores["aer"] is None


def test_samples_are_translated_with_their_alignment(model, vocabularies):
    [first, second] = validated(model, vocabularies, samples=HELD_OUT[:2]).samples
    assert (first.text, second.text) == tuple(TEXTS[:2])
    assert first.links == {(1, 0), (0, 1)}
    assert second.weights.shape == (5, 5)


def test_nothing_is_dropped_and_every_part_is_left_in_its_mode(model, vocabularies):
    model.train()
    model.output.eval()
    before = [module.training for module in model.modules()]
    assert set(before) == {True, False}
    first, second = (validated(model, vocabularies).scores for _ in range(2))
    assert first == second
    assert set(model.modes) == {False}
    assert [module.training for module in model.modules()] == before
    assert model.confidence.grad is None


def test_an_error_on_the_way_leaves_the_mode_as_it_was(model, vocabularies, monkeypatch):
    model.train()
    monkeypatch.setattr(model, "last_weights", lambda state: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        validated(model, vocabularies)
    assert all(module.training for module in model.modules())


def test_a_model_that_does_not_look_has_no_error_rate(model, vocabularies, monkeypatch):
    read = model.decode_parallel
    blind = lambda *inputs, aligned: read(*inputs)  # noqa: E731
    monkeypatch.setattr(model, "decode_parallel", blind)
    assert validated(model, vocabularies).scores["aer"] is None


def test_chance_is_left_alone(model, vocabularies):
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    validated(model, vocabularies)
    assert torch.equal(torch.rand(3), expected)
