"""Words that only the source has, from text to text; and the loss of coverage."""

import numpy as np
import torch
from torch.testing import assert_close

from reference.copying import coverage_loss as plain_coverage
from regard.data.vocabulary import Vocabularies, learn
from regard.decoding import Limits
from regard.models import build
from regard.tasks.translation.corpus import encode
from regard.tasks.translation.example import Example
from regard.tasks.translation.objective import coverage_loss
from regard.tasks.translation.predictor import Translator
from regard.tasks.translation.source import Extension


def test_unknown_words_are_numbered_in_their_order_and_come_back():
    words = learn("words", ["the cat"])
    extension = Extension(words, 2)
    source = ["the", "zorro", "cat", "blip", "zorro", "third"]
    size = len(words)
    assert extension.read(source) == [
        *words.ids(["the"]),
        size,
        *words.ids(["cat"]),
        size + 1,
        size,
        1,
    ]
    assert extension.numbers(["blip", "other", "the"]) == [size + 1, 1, *words.ids(["the"])]
    assert extension.pieces_of([size + 1, *words.ids(["cat"]), 3]) == ["blip", "cat"]


def test_pairs_are_encoded_with_them():
    words = learn("words", ["the cat"])
    both = Vocabularies(words, words)
    corpus = encode([Example("the zorro", "zorro the blip")], both, extension=3)
    size, [the] = len(words), words.encode("the")
    assert corpus.source.rows(np.array([0]))[0].tolist() == [the, size]
    assert corpus.target.rows(np.array([0]))[0].tolist() == [size, the, 1]
    plain = encode([Example("the zorro", "zorro the blip")], both)
    assert plain.target.rows(np.array([0]))[0].tolist() == [1, the, 1]


def test_a_translator_writes_a_word_that_no_vocabulary_has():
    words = learn("words", ["the cat"])
    torch.manual_seed(0)
    model = build(
        "bahdanau-small",
        source_vocab=len(words),
        target_vocab=len(words),
        hidden_dim=6,
        embedding_dim=5,
        copying={"extension": 2},
    ).eval()
    with torch.no_grad():
        model.gate.bias.fill_(-40.0)  # everything is copied, the end too
    found = Translator(model, Vocabularies(words, words)).translate(
        ["zorro blip zorro"], limits=Limits(min_length=2, max_length=4)
    )
    assert set(found[0].text.split()) <= {"zorro", "blip"} and found[0].text


def test_coverage_counts_what_is_looked_at_again():
    torch.manual_seed(0)
    weights = torch.rand(2, 5, 3, dtype=torch.float64).softmax(-1)
    wanted = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    expected = plain_coverage(weights[0].tolist()) + plain_coverage(weights[1, :2].tolist())
    assert_close(coverage_loss(weights, wanted), torch.tensor(expected, dtype=torch.float64))
    assert coverage_loss(torch.eye(3)[None], torch.ones(1, 3, dtype=torch.bool)) == 0
