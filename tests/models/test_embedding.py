"""Tokens to vectors and features to logits: whose matrix is whose."""

import pytest
import torch
from torch.testing import assert_close

from regard.errors import RangeError
from regard.models import TokenEmbedding, Unembedding, build

NAMES = ["lstm-plain-small", "bahdanau-small", "luong-general-small", "gnmt-small"]


def test_the_vector_of_padding_is_zero_and_stays_so():
    embedding = TokenEmbedding(7, 5, pad=2)
    assert not embedding.weight[2].any()
    assert embedding.weight[[0, 1, 3, 4, 5, 6]].all()
    embedding(torch.tensor([[2, 3]])).sum().backward()
    assert not embedding.weight.grad[2].any()
    assert embedding.weight.grad[3].all()


def test_vectors_are_as_long_as_one_on_average():
    lengths = TokenEmbedding(2000, 50, pad=0).weight[1:].square().sum(dim=-1)
    assert abs(lengths.mean() - 1) < 0.05


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tied", [False, True])
def test_recurrent_networks_read_features_of_size_one(name, tied):
    sizes = {"source_vocab": 1999, "target_vocab": 1997, "hidden_dim": 16, "embedding_dim": 16}
    model = build(name, **sizes, tied=tied, dropout=0.0)
    for embedding in (model.source_embedding, model.target_embedding):
        read = embedding(torch.arange(1, 1997))
        assert read.square().mean().sqrt().item() == pytest.approx(1, rel=0.05)
        assert_close(read, 4 * embedding.weight[1:1997])


@pytest.mark.parametrize(("token", "tokens"), [(7, [1, 7]), (-1, [-1, 3])])
def test_a_token_of_another_vocabulary_is_refused(token, tokens):
    with pytest.raises(RangeError, match=f"needs tokens from 0 to 6, got {token}; build it with"):
        TokenEmbedding(7, 5, pad=0)(torch.tensor(tokens))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [32, 24])
def test_tied_and_shared_models_have_one_matrix(name, width):
    sizes = {"source_vocab": 11, "target_vocab": 11, "hidden_dim": 32, "embedding_dim": width}
    free, tied, shared = (
        build(name, **sizes, tied=tied, shared=shared)
        for tied, shared in ((False, False), (True, False), (True, True))
    )
    assert tied.output.proj.weight is tied.target_embedding.weight
    assert tied.source_embedding.weight is not tied.target_embedding.weight
    assert shared.source_embedding is shared.target_embedding
    assert free.output.proj.weight is not free.target_embedding.weight
    counts = [sum(p.numel() for p in model.parameters()) for model in (free, tied, shared)]
    assert counts[1] - counts[2] == 11 * width
    batch = torch.randint(11, (2, 5)), torch.tensor([5, 2]), torch.randint(11, (2, 3))
    assert shared(*batch).shape == (2, 3, 11)


def test_tied_logits_are_products_with_the_embedding():
    embedding = TokenEmbedding(7, 5, pad=0)
    output, features = Unembedding(5, 7, tied_to=embedding), torch.randn(2, 3, 5)
    assert_close(output(features), features @ embedding.weight.T)
    bridged, wide = Unembedding(4, 7, tied_to=embedding), torch.randn(2, 3, 4)
    assert_close(bridged(wide), wide @ bridged.bridge.weight.T @ embedding.weight.T)


def test_what_has_a_row_for_each_token_may_learn_at_the_rate_of_embeddings():
    embedding = TokenEmbedding(7, 5, pad=0)
    output = Unembedding(4, 7, tied_to=embedding)
    assert list(output.rate_groups()) == ["embeddings"]
    weight, bias = output.rate_groups()["embeddings"]
    assert weight is embedding.weight
    assert bias is output.proj.bias
