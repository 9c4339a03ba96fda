"""Translators for the commands that use one: by heart, or small and untrained."""

import torch

from regard.data.vocabulary import Vocabularies, learn
from regard.models import build
from regard.tasks.translation.predictor import Translator
from training.scripted import Phrasebook

SOURCES = ["the black cat", "red dress", "I love you"]
TEXTS = ["le chat noir", "robe rouge", "je t'aime"]
LOOKS = [[0, 2, 1], [1, 0], [0, 2, 1]]
SMALL = {
    "bahdanau-small": {
        "embedding_dim": 5,
        "hidden_dim": 8,
        "attention_dim": 7,
        "readout_dim": 9,
    },
    "transformer-tiny": {"model_dim": 12, "num_heads": 3, "hidden_dim": 10},
    "convs2s-small": {"embedding_dim": 8, "hidden_dim": 6, "decoder_layers": 3},
    "rnn-plain-small": {"embedding_dim": 5, "hidden_dim": 8},
}


def by_heart() -> Translator:
    """Knows three sentences."""
    source, target = learn("words", SOURCES), learn("words", TEXTS)
    phrases = {
        (*source.encode(text), source.eos): list(zip(target.encode(answer), looks, strict=True))
        for text, answer, looks in zip(SOURCES, TEXTS, LOOKS, strict=True)
    }
    model = Phrasebook(phrases, vocab=max(len(source), len(target)))
    return Translator(model, Vocabularies(source, target))


def untrained(name: str = "bahdanau-small", level: str = "characters", **changes) -> Translator:
    """Says something about anything."""
    size = {"size": 300} if level == "bpe" else {}
    both = learn(level, [*SOURCES, *TEXTS] * 9, **size)
    torch.manual_seed(5)
    sizes = {**SMALL[name], **changes}
    model = build(name, source_vocab=len(both), target_vocab=len(both), **sizes)
    return Translator(model.eval(), Vocabularies(both, both))
