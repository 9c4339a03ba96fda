"""Word vectors: pairs of a plain loop, the loss by hand, words that are used alike lie together."""

import math

import numpy as np
import pytest
import torch

from regard.models import WordVectors, WordVectorsConfig
from regard.tasks.word_vectors.codec import WordCodec, learned
from regard.tasks.word_vectors.corpus import Batch, _pairs, encode
from regard.tasks.word_vectors.objective import WordVectorsObjective
from regard.tasks.word_vectors.sampling import Sampling


def test_pairs_are_those_of_a_plain_loop():
    text, reach = np.array([4, 4, 4, 4, 9, 9, 2]), np.array([1, 2, 3, 1, 2, 1, 3])
    wanted = {
        (i, j)
        for i in range(7)
        for j in range(7)
        if i != j and text[i] == text[j] and abs(i - j) <= reach[i]
    }
    found = list(zip(*(part.tolist() for part in _pairs(text, reach, 3)), strict=True))
    assert set(found) == wanted and len(found) == len(wanted)


@pytest.mark.parametrize("method", ["skip-gram", "cbow"])
def test_the_loss_is_that_of_negative_sampling(method):
    torch.manual_seed(0)
    model = WordVectors(WordVectorsConfig(vocab=7, dim=3))
    torch.nn.init.normal_(model.contexts.weight)
    words, contexts, places, negatives = [2, 2, 5], [5, 1, 2], [0, 0, 1], [6, 3]
    numbers = [torch.tensor(each) for each in (words, contexts, places, negatives, [0])]
    v, u = model.words.weight.tolist(), model.contexts.weight.tolist()

    def surprise(vector, word, sign):
        score = sign * sum(a * b for a, b in zip(vector, u[word], strict=True))
        return math.log(1 + math.exp(-score))

    if method == "skip-gram":
        asked = [(v[w], c) for w, c in zip(words, contexts, strict=True)]
    else:
        mean = [(a + b) / 2 for a, b in zip(v[5], v[1], strict=True)]
        asked = [(mean, 2), (v[2], 5)]
    wanted = sum(
        surprise(vector, word, 1) + 4 * sum(surprise(vector, n, -1) for n in negatives) / 2
        for vector, word in asked
    )
    objective = WordVectorsObjective(model, negatives=4, method=method)
    assert objective(Batch(*numbers, 3)).total.item() == pytest.approx(wanted, rel=1e-5)


def test_negatives_are_drawn_by_their_counts_to_a_power():
    codec = WordCodec({"a": 81, "b": 16, "c": 1})
    texts = encode(["a b c"], codec, Sampling(shared=20_000, power=0.5), longest=10)
    batch = texts.batch(np.array([0]), indices=np.array([0]), num_targets=3)
    shares = torch.bincount(batch.negatives, minlength=3) / 20_000
    torch.testing.assert_close(shares, torch.tensor([9, 4, 1]) / 14, atol=0.02, rtol=0)


def test_words_in_the_same_company_come_to_lie_together():
    torch.manual_seed(0)
    beasts, colours = ["cat", "dog", "cow"], ["red", "blue", "green"]
    lines = [f"the {b} eats and sleeps" for b in beasts] + [f"a {c} wall and door" for c in colours]
    codec = learned(lines * 20, size=50, min_count=2)
    texts = encode(lines * 20, codec, Sampling(frequent=1.0), longest=10)
    model = WordVectors(WordVectorsConfig(vocab=len(codec.words), dim=8))
    objective = WordVectorsObjective(model, negatives=5, method="skip-gram")
    optimiser = torch.optim.Adam(model.parameters(), lr=0.05)
    rows = np.arange(len(texts))
    batch = texts.batch(rows, indices=rows, num_targets=1)
    for _ in range(60):
        optimiser.zero_grad()
        (objective(batch).total / len(batch.words)).backward()
        optimiser.step()
    from regard.tasks.word_vectors.predictor import WordEmbedder

    space = WordEmbedder(model, codec).space
    assert {one.word for one in space.nearest("cat", 2)} == {"dog", "cow"}
    assert {one.word for one in space.nearest("red", 2)} == {"blue", "green"}
