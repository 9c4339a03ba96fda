import pytest
import torch

from decoding.table_model import TableModel, drawn
from regard.decoding import Limits, Sample, decode

EOS = 3
SOURCES = [[4, EOS], [4, 5, 6, 4, EOS], [7, 8, EOS]]
LIMITS = Limits(max_length=9)


def tokens(model, sources, **choices):
    found = decode(model, sources, strategy=Sample(**choices), limits=LIMITS)
    return [[one.tokens for one in each] for each in found]


def test_a_source_draws_the_same_alone_and_among_others_and_in_any_order():
    model = drawn(9, seed=0)
    together = tokens(model, SOURCES, n=3, seed=5)
    assert tokens(model, SOURCES[::-1], n=3, seed=5) == together[::-1]
    for source, found in zip(SOURCES, together, strict=True):
        assert tokens(model, [source], n=3, seed=5) == [found]


def test_more_draws_begin_with_fewer():
    model = drawn(9, seed=0)
    for few, many in zip(tokens(model, SOURCES, n=2), tokens(model, SOURCES, n=5), strict=True):
        assert set(few) <= set(many)


def test_another_seed_draws_something_else():
    model = drawn(9, seed=0)
    assert tokens(model, SOURCES, seed=1) != tokens(model, SOURCES, seed=2)


def first_tokens(model, **choices):
    """How often each token was drawn first, of 400."""
    found = decode(
        model, [[4, EOS]], strategy=Sample(n=400, **choices), limits=Limits(max_length=1)
    )[0]
    firsts = [one.tokens[0] if one.tokens else EOS for one in found]
    return torch.bincount(torch.tensor(firsts), minlength=9) / 400


def known() -> tuple[TableModel, torch.Tensor]:
    """A model whose first token is drawn from these probabilities."""
    probabilities = torch.tensor([0, 0, 0, 0.1, 0.4, 0.2, 0.25, 0.05, 0], dtype=torch.float64)
    return TableModel(probabilities.log().expand(9, 9)), probabilities


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_are_drawn_as_often_as_they_are_likely(temperature):
    model, probabilities = known()
    expected = probabilities ** (1 / temperature)
    expected = expected / expected.sum()
    found = first_tokens(model, temperature=temperature)
    assert (found - expected).abs().max() < 0.07
    assert not found[expected == 0].any()


@pytest.mark.parametrize(
    ("choices", "kept"),
    [
        ({"top_k": 2}, {4, 6}),
        ({"top_p": 0.6}, {4, 6}),
        ({"top_p": 0.39}, {4}),
        ({"top_p": 0.66}, {4, 5, 6}),
        ({"top_k": 3, "top_p": 0.7}, {4, 6}),
    ],
    ids=["k 2", "p 0.6", "p 0.39", "p 0.66", "k 3 p 0.7"],
)
def test_only_the_likely_part_is_drawn_from(choices, kept):
    model, _ = known()
    found = first_tokens(model, **choices)
    assert set(found.nonzero().flatten().tolist()) == kept


def test_scores_are_the_models_whatever_was_left_out():
    model, probabilities = known()
    (found,) = decode(
        model, [[4, EOS]], strategy=Sample(top_k=2, n=20), limits=Limits(max_length=1)
    )
    for one in found:
        assert one.log_prob == pytest.approx(float(probabilities[one.tokens[0]].log()))
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
