"""A translator that knows three sentences by heart, and where it looks."""

import math

from regard.data.vocabulary import Vocabularies, learn
from regard.measures import Gold
from regard.models import build
from regard.tasks.translation import HeldOut
from regard.tasks.translation.predictor import Translator
from training.scripted import Phrasebook

SOURCES = ["the black cat", "a dog", "nothing"]
TEXTS = ["le chat noir", "un chien", "rien"]
LOOKS = [[0, 2, 1], [0, 1], [0]]
"""The source word that each target word is said by; the end looks at the first word."""
GOLD = [Gold(frozenset({(0, 0), (2, 1), (1, 2)})), Gold(frozenset({(0, 0), (1, 1)})), None]
HELD_OUT = [
    HeldOut(source, (text,), gold and gold.sure)
    for source, text, gold in zip(SOURCES, TEXTS, GOLD, strict=True)
]
CONFIDENCE = 2.0


def vocabularies():
    return Vocabularies(learn("words", SOURCES), learn("words", TEXTS))


def by_heart():
    """Says the texts, each token e² times likelier than any other."""
    source, target = both = vocabularies()
    phrases = {
        (*source.encode(here), source.eos): list(zip(target.encode(there), looks, strict=True))
        for here, there, looks in zip(SOURCES, TEXTS, LOOKS, strict=True)
    }
    vocab = max(map(len, both))
    return Translator(Phrasebook(phrases, vocab=vocab, confidence=CONFIDENCE), both)


def log_probs():
    """ln p of a token that it says, and of any other."""
    total = math.log(math.exp(CONFIDENCE) + max(map(len, vocabularies())) - 1)
    return CONFIDENCE - total, -total


def of_kind(name, **sizes):
    """A small model of a kind, as it is before training."""
    source, target = both = vocabularies()
    model = build(name, source_vocab=len(source), target_vocab=len(target), **sizes)
    return Translator(model, both)


def transformer():
    """Two layers of three heads."""
    return of_kind(
        "transformer-tiny",
        model_dim=12,
        num_heads=3,
        hidden_dim=10,
        encoder_layers=1,
        decoder_layers=2,
        alignment_head=1,
    )


def bahdanau():
    return of_kind("bahdanau-small", embedding_dim=5, hidden_dim=6, attention_dim=7, readout_dim=8)


def plain():
    return of_kind("rnn-plain-small", embedding_dim=5, hidden_dim=6)


def convolutions():
    return of_kind(
        "convs2s-small", embedding_dim=6, hidden_dim=8, encoder_layers=1, decoder_layers=2
    )
