"""Top-down attention against loops, and its regions that may be missing."""

import pytest
import torch
from torch.testing import assert_close

from nn.vision.cases import draw, parameters, randomised
from reference import vision as reference
from regard.errors import RangeError, ShapeError
from regard.nn import Memory
from regard.nn.vision import TopDownAttention
from regard.testing import check_attention

ALLOWED = [[True, True, False, True], [False, False, False, False], [True, False, False, False]]


def attention():
    return randomised(TopDownAttention(5, 2, 7))


def test_context_and_weights_equal_the_loops_with_regions_missing():
    module, regions, questions = attention(), draw(3, 4, 5), draw(3, 2, seed=2)
    context, weights = module(questions, module.prepare(regions, torch.tensor(ALLOWED)))
    for b in range(3):
        expected = reference.top_down(
            parameters(module), regions[b].tolist(), ALLOWED[b], questions[b].tolist()
        )
        assert_close(context[b], torch.tensor(expected[0], dtype=torch.float64))
        assert_close(weights[b], torch.tensor(expected[1], dtype=torch.float64))


def test_an_image_without_regions_has_a_zero_context_and_no_nan():
    module, regions, questions = attention(), draw(3, 4, 5).requires_grad_(), draw(3, 2, seed=2)
    context, weights = module(questions, module.prepare(regions, torch.tensor(ALLOWED)))
    assert not context[1].any()
    assert not weights[1].any()
    (gradient,) = torch.autograd.grad(context.sum(), regions)
    assert gradient.isfinite().all()
    assert not gradient[1].any()


def test_lengths_are_the_first_regions():
    module, regions, questions = attention(), draw(3, 4, 5), draw(3, 2, seed=2)
    lengths = torch.tensor([4, 2, 1])
    found = module(questions, module.prepare(regions, lengths))
    allowed = torch.arange(4) < lengths.unsqueeze(-1)
    expected = module(questions, module.prepare(regions, allowed))
    assert_close(found, expected)
    for b, n in enumerate(lengths.tolist()):
        alone, _ = module(questions[b : b + 1], module.prepare(regions[b : b + 1, :n]))
        assert_close(found[0][b : b + 1], alone)


def test_many_questions_at_once_are_the_questions_one_by_one():
    module, regions, questions = attention(), draw(3, 4, 5), draw(3, 6, 2, seed=2)
    memory = module.prepare(regions, torch.tensor(ALLOWED))
    one_by_one = [module(questions[:, i], memory)[0] for i in range(6)]
    assert_close(module.contexts(questions, memory), torch.stack(one_by_one, dim=1))


def test_regions_in_another_order_change_nothing_but_the_order_of_weights():
    module, regions, questions = attention(), draw(3, 4, 5), draw(3, 2, seed=2)
    order = torch.tensor([2, 0, 3, 1])
    context, weights = module(questions, module.prepare(regions))
    again, shuffled = module(questions, module.prepare(regions[:, order]))
    assert_close(again, context)
    assert_close(shuffled, weights[:, order])


def test_regions_are_projected_once_and_other_values_may_be_pooled():
    module, regions, questions = attention(), draw(3, 4, 5), draw(3, 2, seed=2)
    values = draw(3, 4, 6, seed=3)
    memory = module.prepare(regions, values=values)
    assert isinstance(memory, Memory)
    assert memory.key.shape == (3, 4, 14)
    context, weights = module(questions, memory)
    assert_close(context, torch.einsum("bk,bke->be", weights, values))


def test_sparse_weights_come_by_another_normaliser():
    module = randomised(TopDownAttention(5, 2, 7, normalise="sparsemax"))
    _, weights = module(3 * draw(3, 2, seed=2), module.prepare(5 * draw(3, 4, 5)))
    assert_close(weights.sum(-1), torch.ones(3, dtype=torch.float64))
    assert (weights == 0).any()


def test_it_passes_the_public_battery():
    assert check_attention(TopDownAttention(5, 2, 7))


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    module = TopDownAttention(5, 2, 7)
    with pytest.raises(ShapeError, match=r"TopDownAttention needs keys .*of width 5, got \(3"):
        module.prepare(torch.zeros(3, 4, 6))
    memory = module.prepare(torch.zeros(3, 4, 5))
    with pytest.raises(ShapeError, match=r"TopDownAttention needs .* width 2 .* got \(3, 7\)"):
        module(torch.zeros(3, 7), memory)
    with pytest.raises(RangeError, match="TopDownAttention needs hidden_dim of at least 1, got 0"):
        TopDownAttention(5, 2, 0)
