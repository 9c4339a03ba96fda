"""Alignments on the pages are learned, by our translators or from the links of two sentences."""

import pytest
import torch

pytest.importorskip("matplotlib")

from docs.examples.french import FRENCH, LINKS, french, placed
from docs.examples.learned import learned, taught
from docs.examples.trained import states, trained
from regard import nn
from regard.lens import capture
from regard.lens.examples import sentence
from regard.zoo import ZOO

FITTED = [
    "concat",
    "gated additive",
    "location",
    "general",
    "local-p",
    "hard (stochastic)",
    "Luong",
]
TRANSLATED = ["additive", "Bahdanau", "cross"]


@pytest.mark.parametrize("name", FITTED)
def test_every_french_word_looks_most_at_what_it_translates(name, shown):
    made = shown(name)
    assert tuple(made.queries) == FRENCH
    assert made.weights.argmax(dim=-1).tolist() == list(LINKS)
    assert made.weights[range(7), list(LINKS)].min() > 0.6


@pytest.mark.parametrize("name", TRANSLATED)
def test_every_token_of_a_trained_translator_looks_most_at_what_it_translates(name, shown):
    made = shown(name)
    seen = {
        query: made.keys[at]
        for query, at in zip(made.queries, made.weights.argmax(dim=-1), strict=True)
    }
    assert seen.pop("sour") in ("m", "ouse")
    assert seen.pop("is") in ("m", "ouse")
    assert seen == {
        **{"Le": "The", "chat": "cat", "noir": "black", "a": "ate", "mangé": "ate", "la": "the"},
        **{".": ".", "(end)": "(end)"},
    }


def test_the_additive_score_alone_gives_the_weights_of_the_trained_model(shown):
    assert torch.allclose(shown("additive").weights, shown("Bahdanau").weights, atol=1e-5)


def test_of_the_trained_heads_one_looks_back_and_one_ahead(shown):
    back, ahead = shown("multi-head").weights[:2, 1:-1]  # without the ends
    places = torch.arange(1, 8).unsqueeze(-1)
    before = torch.arange(9) < places
    assert (back * before).sum() > 0.7 * len(back)
    assert (ahead * ~before).sum() > 0.7 * len(ahead)


@pytest.mark.parametrize("name", [name for name in ZOO.names if name.startswith("en-fr-")])
@torch.no_grad()
def test_the_translation_on_the_pages_is_what_the_translator_writes(name):
    reading = trained(name)
    written = reading.model(*reading.batch).argmax(dim=-1)[0]
    assert torch.equal(written[:-1], reading.batch[2][0, 1:])
    assert len(written) == len(reading.target)


def test_states_are_one_before_every_token_and_keys_one_behind_each():
    reading = trained("en-fr-bahdanau")
    before, keys = states(reading)
    assert before.shape == (10, 384)
    assert keys.shape == (9, 768)


def test_french_words_have_vectors_of_what_they_translate_and_places_of_their_own():
    assert torch.equal(french()[2], sentence()[1])
    here, there = placed()
    assert not torch.equal(here[0], here[5])
    assert torch.equal(here[0], there[0])


def test_learning_begins_at_random_and_parameters_decide():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        fitted = learned(lambda scores: scores.softmax(dim=-1), scores=(7, 6))
        other = learned(lambda scores: scores.softmax(dim=-1), scores=(7, 6))
    assert not torch.equal(fitted.weights, other.weights)
    assert fitted.weights.argmax(dim=-1).tolist() == list(LINKS)


def test_a_module_is_taught_in_place():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention = nn.LuongAttention(8, 8, score="general")
        before = attention.key_proj.weight.detach().clone()
        assert taught(attention) is attention
    assert not torch.equal(attention.key_proj.weight, before)
    with capture(attention) as record:
        attention.contexts(*placed())
    assert record[""].weights.argmax(dim=-1).tolist() == list(LINKS)
