"""What may be explained, and how mistakes are answered."""

import pytest
import torch

from functional.cases.call import inputs
from functional.cases.scores import SCORE
from regard import explain, masks, normalisers, scores
from regard.errors import ChoiceError, DtypeError, ShapeError

QUERY = [10.0, 5.0, 10.0]
KEYS = [[0.0, 1.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 5.0, 1.0]]


def double(values):
    return torch.tensor(values, dtype=torch.float64)


def test_one_query_vector_gives_steps_without_a_query_axis():
    single = explain(double(QUERY), double(KEYS), gradients=True)
    row = explain(double([QUERY]), double(KEYS), gradients=True)
    assert single["query"].axes == ("D",)
    assert single["weighted_values"].axes == ("K", "E")
    assert single.context.shape == (3,)
    for step in single:
        assert torch.equal(step.tensor.flatten(), row[step.name].tensor.flatten())
        assert len(step.axes) == step.tensor.dim()


def test_one_query_vector_takes_a_mask_with_one_entry_per_key():
    mask = torch.tensor([True, False, True, False])
    assert explain(double(QUERY), double(KEYS), mask=mask).weights.tolist() == [0.5, 0, 0.5, 0]


def test_values_left_out_are_the_keys_and_said_to_be():
    found = explain(double(QUERY), double(KEYS))
    assert found["value"].tensor.tolist() == KEYS
    assert found["value"].note == "No values were given: the values are the keys."
    assert explain(double(QUERY), double(KEYS), double(KEYS))["value"].note == ""


@pytest.mark.parametrize("normaliser", ["softmax", "proportional"])
def test_every_axis_has_a_letter_and_no_step_carries_a_graph(normaliser):
    query, key, value, _ = inputs(SCORE["gaussian"])
    found = explain(
        query, key, value, score="gaussian", mask="causal", normalise=normaliser, gradients=True
    )
    assert query.requires_grad
    for step in found:
        assert len(step.axes) == step.tensor.dim()
        assert not step.tensor.requires_grad
    assert found["context"].axes == ("B", "B", "Q", "E")
    assert query.grad is None


@pytest.mark.parametrize("shape", [(0, 3), (2, 3)])
def test_no_keys_or_no_queries_are_explained_too(shape):
    query, key = torch.zeros(shape), torch.zeros(2 - shape[0], 3)
    found = explain(query, key, torch.ones(2 - shape[0], 5))
    assert found.weights.shape == (shape[0], 2 - shape[0])
    assert found.context.tolist() == [[0.0] * 5] * shape[0]
    assert str(found)
    assert found.to_html()


@pytest.mark.usefixtures("without_shape_checks")
def test_mistakes_are_answered_in_one_sentence():
    query, keys = double([QUERY]), double(KEYS)
    with pytest.raises(DtypeError, match="explain needs key as a tensor, got list"):
        explain(query, KEYS)
    with pytest.raises(DtypeError, match="floating-point"):
        explain(query.long(), keys.long())
    with pytest.raises(ShapeError, match="at least two axes"):
        explain(query, keys[0])
    with pytest.raises(ShapeError, match="4 keys and 3 values"):
        explain(query, keys, keys[:3])
    with pytest.raises(ChoiceError, match="Did you mean 'scaled_dot'"):
        explain(query, keys, score="scaled_dott")
    with pytest.raises(ChoiceError, match="Did you mean 'softmax'"):
        explain(query, keys, normalise="sofmax")
    with pytest.raises(ShapeError, match=r"gradients needs .* the context, \(1, 3\), got \(3,\)"):
        explain(query, keys, gradients=torch.ones(3))


def test_every_named_score_and_normaliser_has_an_equation():
    learned = ("additive", "concat", "general", "location", "alibi", "relative", "gaussian_around")
    learned += ("gated_additive", "bias", "relative_keys", "by_mask")
    assert set(scores.named.classes) == {*scores.named, *learned}
    assert set(normalisers.named.classes) == {*normalisers.named, "entmax", "top_k"}
    for score in (*scores.named.classes.values(), scores.Scaled, scores.Function):
        assert score.step.startswith("s = ")
    for normaliser in normalisers.named.classes.values():
        assert normaliser.step.startswith("α = ")


def test_a_choice_without_an_equation_is_written_as_a_function():
    class Mine(scores.Dot):
        name = "mine"

    found = explain(double([QUERY]), double(KEYS), score=Mine(), mask=masks.causal(3))
    assert found["scores"].equation == "s = mine(q, k)"
    assert found.scores.tolist() == [[15.0, 60.0, 15.0, 35.0]]
