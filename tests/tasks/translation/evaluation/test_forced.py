"""What a model makes of a translation, whatever it would have said."""

import math

import pytest
import torch
from torch.testing import assert_close

from regard.errors import RangeError
from regard.lens import capture
from regard.tasks.translation.evaluation import perplexity_on, teacher_forced
from regard.tasks.translation.predictor import Translator
from tasks.translation.evaluation.phrases import (
    SOURCES,
    TEXTS,
    bahdanau,
    by_heart,
    convolutions,
    log_probs,
    plain,
    transformer,
)

PAIRS = list(zip(SOURCES, TEXTS, strict=True))


def told(translator, pairs=PAIRS, **options):
    """By their places."""
    return {one.number: one for one in teacher_forced(translator, pairs, **options)}


def read_alone(translator, source, target):
    """Logits of every position, and the tokens that were wanted."""
    here, there = translator.vocabularies
    tokens = torch.tensor([[*here.encode(source), here.eos]])
    said = there.encode(target)
    with torch.no_grad():
        logits = translator.model(
            tokens, torch.tensor([tokens.shape[1]]), torch.tensor([[there.bos, *said]])
        )
    return logits[0], [*said, there.eos]


def test_the_probability_is_that_of_every_token_and_of_the_end():
    right, wrong = log_probs()
    found = told(by_heart(), [*PAIRS, ("a dog", "un chat")])
    assert sorted(found) == [0, 1, 2, 3]
    for number, tokens in ((0, 4), (1, 3), (2, 2)):
        assert found[number].log_prob == pytest.approx(tokens * right)
        assert found[number].tokens == tokens
    assert found[3].log_prob == pytest.approx(2 * right + wrong)


@pytest.mark.parametrize("made", [bahdanau, transformer, plain])
def test_the_probability_of_a_row_is_that_of_the_sentence_alone(made):
    translator = made()
    translator.model.eval()
    for number, one in told(translator).items():
        logits, wanted = read_alone(translator, *PAIRS[number])
        expected = sum(
            float(row.double().log_softmax(0)[token])
            for row, token in zip(logits, wanted, strict=True)
        )
        assert one.log_prob == pytest.approx(expected, abs=1e-4)


def test_batches_of_one_give_the_same_as_one_batch():
    translator = transformer()
    one, other = (told(translator, asked="heads", max_tokens=most) for most in (1, 4096))
    for number in range(3):
        assert one[number].log_prob == pytest.approx(other[number].log_prob, abs=1e-5)
        assert_close(one[number].weights, other[number].weights)


def test_weights_are_those_of_tokens_and_ends_and_only_if_asked_for():
    found = told(by_heart(), asked="alignment")
    assert found[0].weights.shape == (1, 1, 4, 4)
    assert found[0].weights[0, 0].argmax(dim=-1).tolist() == [0, 2, 1, 0]
    assert found[1].weights[0, 0].tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert all(one.weights is None for one in told(by_heart()).values())


@pytest.mark.parametrize(("made", "heads"), [(transformer, 3), (convolutions, 1)])
def test_every_head_of_every_layer_is_as_a_capture_sees_it(made, heads):
    translator = made()
    translator.model.eval()
    for number, one in told(translator, asked="heads").items():
        with capture(translator.model) as record:
            read_alone(translator, *PAIRS[number])
        maps = [record[f"decoder.{layer}.cross"].weights[0] for layer in range(2)]
        expected = torch.stack([each.reshape(heads, *each.shape[-2:]) for each in maps])
        assert_close(one.weights, expected)


def test_the_alignment_head_is_one_of_the_heads():
    translator = transformer()
    heads, chosen = (told(translator, asked=asked) for asked in ("heads", "alignment"))
    for number in range(3):
        assert_close(chosen[number].weights[0, 0], heads[number].weights[0, 1])


def test_a_model_with_one_attention_has_one_head_and_one_without_has_none():
    assert told(bahdanau(), asked="heads")[0].weights.shape == (1, 1, 4, 4)
    assert told(plain(), asked="heads")[0].weights is None


def test_the_model_is_left_as_it_was():
    translator = transformer()
    told(translator, asked="heads")
    assert translator.model.training
    assert not any(layer.cross.watchers for layer in translator.model.decoder)


def test_nobody_watches_a_model_that_failed():
    translator = transformer()
    del translator.model.decoder[1].feed_forward
    with pytest.raises(AttributeError):
        told(translator, asked="heads")
    assert not any(layer.cross.watchers for layer in translator.model.decoder)


def test_no_more_than_the_longest_is_read_of_either_text():
    translator = bahdanau()
    short = Translator(translator.model, translator.vocabularies, longest=2)
    one = told(short, [("the black cat", "le chat noir")], asked="alignment")[0]
    assert one.tokens == 3
    assert one.weights.shape == (1, 1, 3, 3)
    (same,) = told(translator, [("the black", "le chat")]).values()
    assert one.log_prob == pytest.approx(same.log_prob, abs=1e-5)


def test_surprise_is_the_perplexity_over_tokens_and_over_words():
    right, _ = log_probs()
    found = perplexity_on(by_heart(), PAIRS)
    assert found.per_token == pytest.approx(math.exp(-right))
    assert found.per_word == pytest.approx(math.exp(-right))
    marked = perplexity_on(by_heart(), [("nothing", "rien rien")])
    assert marked.per_token != pytest.approx(found.per_token)


def test_surprise_at_nothing_is_refused():
    with pytest.raises(RangeError, match="needs a token and a word"):
        perplexity_on(by_heart(), [])
