"""Each method against plain loops, and against the mistake that is usual for it."""

import networkx
import pytest
import torch

from reference import explaining
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.functional.events import Attended
from regard.lens import Look
from regard.lens.faithfulness import (
    agreement,
    alti,
    cross_relevance,
    flow,
    grad_attention,
    kendall,
    looked_through,
    relevance,
    rollout,
    value_norms,
    weight_gradients,
)

HEADS, QUERIES, WIDTH, OUT = 2, 5, 3, 7


def drawn(seed: int = 0):
    generator = torch.Generator().manual_seed(seed)

    def normal(*sizes: int) -> torch.Tensor:
        return torch.randn(*sizes, generator=generator, dtype=torch.float64)

    weights = normal(HEADS, QUERIES, QUERIES).softmax(-1)
    value, output = normal(HEADS, QUERIES, WIDTH), normal(OUT, HEADS * WIDTH)
    return weights, value, output, normal(OUT), normal(QUERIES, OUT)


@pytest.mark.parametrize(("folded", "around"), [(False, False), (True, False), (True, True)])
def test_value_norms_by_gram_matrices_are_those_of_the_explicit_tensor(folded, around):
    weights, value, output, gain, residual = drawn()
    more = {"gain": gain if folded else None, "residual": residual if around else None}
    told = {name: None if x is None else x.tolist() for name, x in more.items()}
    table = explaining.transformed(weights.tolist(), value.tolist(), output.tolist(), **told)
    found = value_norms(weights, value, output, **more)
    torch.testing.assert_close(found, torch.tensor(explaining.norms(table)).double())
    rows = torch.arange(QUERIES)
    near = alti(weights, value, output, rows=rows, **more)
    torch.testing.assert_close(near, torch.tensor(explaining.alti(table)).double())


def test_a_key_whose_value_is_zero_has_attention_and_no_norm():
    weights, value, output, *_ = drawn()
    value[:, 2] = 0
    found = value_norms(weights, value, output)
    assert bool((weights[..., 2] > 0).all())
    assert not found[:, 2].any()


@pytest.mark.parametrize("row", range(QUERIES))
def test_rollout_by_rows_is_the_row_of_the_product(row):
    maps = [drawn(seed)[0].mean(0) for seed in range(3)]
    expected = explaining.rollout([one.tolist() for one in maps])
    found = rollout(maps, row)
    torch.testing.assert_close(found, torch.tensor(expected[row]).double())
    assert float(found.sum()) == pytest.approx(1)


def test_rollout_of_maps_that_stay_where_they_are_is_where_it_began():
    eye = torch.eye(QUERIES, dtype=torch.float64)
    assert rollout([eye, eye], 3).tolist() == eye[3].tolist()


def test_the_layers_of_a_rollout_are_taken_in_order():
    first, last = (drawn(seed)[0].mean(0) for seed in range(2))
    assert not torch.allclose(rollout([first, last], 1), rollout([last, first], 1))


@pytest.mark.parametrize("row", [0, 3])
def test_flow_is_that_of_a_graph_library(row):
    maps = [drawn(seed)[0].mean(0) for seed in range(2)]
    graph = networkx.DiGraph()
    for depth, one in enumerate(maps):
        for i in range(QUERIES):
            for j in range(QUERIES):
                much = float(one[i, j] + (i == j)) / 2
                graph.add_edge((depth + 1, i), (depth, j), capacity=much)
    expected = [networkx.maximum_flow_value(graph, (2, row), (0, j)) for j in range(QUERIES)]
    torch.testing.assert_close(flow(maps, row), torch.tensor(expected, dtype=torch.float64))


def test_flow_of_more_than_64_positions_is_refused():
    with pytest.raises(RangeError, match="take rollout"):
        flow([torch.eye(65)], 0)


def test_the_gradient_of_every_weight_is_that_of_autograd_through_an_eager_run():
    weights, value, output, *_ = drawn()
    weights.requires_grad_()
    context = weights @ value
    context.retain_grad()
    y = (torch.tanh(context.transpose(0, 1).flatten(1) @ output.T)).square().sum()
    y.backward()
    found = weight_gradients(context.grad, value)
    torch.testing.assert_close(found, weights.grad)
    positive = (weights.detach() * weights.grad).clamp(min=0).mean(0)
    torch.testing.assert_close(grad_attention(weights.detach(), context.grad, value), positive)


def test_gradients_of_another_layer_are_refused_where_their_shape_tells():
    weights, value, *_ = drawn()
    with pytest.raises(ShapeError, match="of the same heads and queries"):
        grad_attention(weights, value[:, :3], value)


@pytest.mark.parametrize("tile", [2, 64])
def test_rows_of_a_look_taken_together_are_those_of_its_maps(tile):
    generator = torch.Generator().manual_seed(0)
    sizes = {"query": (2, HEADS, 7, WIDTH), "key": (2, HEADS, QUERIES, WIDTH)}
    query, key, value = (
        torch.randn(sizes[name], generator=generator, dtype=torch.float64)
        for name in ("query", "key", "key")
    )
    told = Attended(query, key, mask="causal", value=value)
    look = Look(told)
    gradient = torch.randn(HEADS, 7, WIDTH, generator=generator, dtype=torch.float64)
    start = torch.tensor([0.0, 2.0, 0.0, 0.0, 1.0, 3.0, 0.5], dtype=torch.float64)
    expected = start @ grad_attention(look.weigh()[1], gradient, value[1])
    found = looked_through(look, gradient, start, sentence=1, tile=tile)
    torch.testing.assert_close(found, expected)
    with pytest.raises(ShapeError, match="of the same heads and queries"):
        looked_through(look, gradient[:, :3], start)
    with pytest.raises(ChoiceError, match="told no values"):
        looked_through(Look(Attended(query, key)), gradient, start)


def test_relevance_row_by_row_is_that_of_the_products():
    maps = [drawn(seed)[0].mean(0) for seed in range(3)]
    expected = explaining.relevance([one.tolist() for one in maps])
    found = relevance(maps, torch.eye(QUERIES, dtype=torch.float64))
    torch.testing.assert_close(found, torch.tensor(expected).double())


def test_relevance_across_of_one_layer_without_self_attention_is_its_map():
    cross = torch.rand(3, 5, dtype=torch.float64)
    still = [torch.zeros(5, 5, dtype=torch.float64)], [torch.zeros(3, 3, dtype=torch.float64)]
    torch.testing.assert_close(cross_relevance(*still, [cross]), cross)


def test_kendalls_tau_is_that_of_plain_pairs_with_ties():
    one, other = [1.0, 2.0, 2.0, 4.0, 0.5, 3.0], [1.0, 1.0, 3.0, 4.0, 2.0, 0.0]
    found = kendall(torch.tensor(one), torch.tensor(other))
    assert float(found) == pytest.approx(explaining.kendall(one, other))


def test_an_order_agrees_with_itself_and_not_with_chance():
    order = torch.arange(9.0)
    same = agreement(order, order)
    assert same.tau == pytest.approx(1)
    assert same.agrees
    assert same.sentence("attention").startswith(
        "attention agrees with leave-one-out here: τ = 1.00"
    )
    other = agreement(order[torch.tensor([4, 0, 8, 2, 6, 1, 7, 3, 5])], order)
    assert not other.agrees
    assert "does not agree" in other.sentence("attention")
    assert same.band == pytest.approx(other.band, abs=0.1)
