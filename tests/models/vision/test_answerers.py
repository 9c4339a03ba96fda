"""Answerers: their equations in plain loops, regions of boxes, and the contract of all of them."""

import pytest
import torch
from torch.testing import assert_close

from reference import looking as reference
from regard.errors import InputError
from regard.models.vision import (
    BottomUpTopDown,
    BottomUpTopDownConfig,
    Boxes,
    StackedAttention,
    StackedAttentionConfig,
    StoredGrid,
    TransformerAnswerer,
    TransformerAnswererConfig,
)
from regard.models.vision.regions import pooled

GRID = StoredGrid(features=5, height=2, width=3)
SIZES = {"vocab": 11, "answers": 4, "grid": GRID, "dropout": 0.0, "embedding_dim": 3}


def top_down(**changes):
    fields = {**SIZES, "region_dim": 6, "question_dim": 7, "hidden_dim": 5}
    return BottomUpTopDown(BottomUpTopDownConfig(**fields | changes))


def stacked(**changes):
    fields = {**SIZES, "model_dim": 6, "attention_dim": 5, "hops": 2}
    return StackedAttention(StackedAttentionConfig(**fields | changes))


def transformer(**changes):
    fields = {**SIZES, "model_dim": 8, "num_heads": 2, "layers": 2, "hidden_dim": 12}
    return TransformerAnswerer(TransformerAnswererConfig(**fields | changes))


MAKERS = {"top-down": top_down, "stacked": stacked, "transformer": transformer}
WITHOUT = {
    "top-down": {"attention": "none"},
    "stacked": {"hops": 0},
    "transformer": {"attention": "none"},
}
MAPS = torch.rand(2, 5, 2, 3, generator=torch.Generator().manual_seed(1))
QUESTIONS = torch.tensor([[4, 9, 6, 5], [7, 10, 0, 0]])
LENGTHS = torch.tensor([4, 2])
BOXES = Boxes(
    torch.tensor(
        [
            [[0.1, 0.2, 0.6, 0.9], [0.0, 0.0, 1.0, 1.0], [0.5, 0.1, 0.9, 0.4]],
            [[0.3, 0.3, 0.7, 0.8], [0.2, 0.0, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0]],
        ]
    ),
    torch.tensor([[True, True, True], [True, True, False]]),
)


@pytest.fixture(params=MAKERS, scope="module")
def maker(request):
    return request.param, MAKERS[request.param]


def pair(layer):
    rows = layer.weight.tolist()
    return rows, [0.0] * len(rows) if layer.bias is None else layer.bias.tolist()


def question(model):
    cell = model.question.reader.cell
    scaled = model.question.embedding.weight * model.config.embedding_dim**0.5
    return {
        "embedding": scaled.tolist(),
        "gru_input": pair(cell.input_proj),
        "gru_hidden": pair(cell.hidden_proj),
        "output": pair(model.output),
    }


def test_top_down_attention_is_that_of_a_plain_loop():
    torch.manual_seed(2)
    model = top_down().double().eval()
    seen = model.regions(MAPS).features.double()
    answered = model.answer(MAPS, QUESTIONS, LENGTHS)
    attention = model.attention
    both = torch.cat([attention.key_proj.weight, attention.query_proj.weight], dim=1)
    p = {
        **question(model),
        "attention": (both.tolist(), attention.query_proj.bias.tolist()),
        "w": attention.v.tolist(),
        "f_q": pair(model.from_question.proj),
        "f_v": pair(model.from_regions.proj),
        "f_o": pair(model.hidden.proj),
    }
    for row, length in enumerate(LENGTHS.tolist()):
        tokens = QUESTIONS[row, :length].tolist()
        logits, alpha = reference.bottom_up_top_down(p, seen[row].tolist(), tokens)
        assert_close(answered.logits[row], torch.tensor(logits, dtype=torch.float64))
        assert_close(answered.hops[row, 0], torch.tensor(alpha, dtype=torch.float64))


def test_stacked_attention_is_that_of_a_plain_loop():
    torch.manual_seed(2)
    model = stacked(hops=3).double().eval()
    seen = model.regions(MAPS).features.double()
    answered = model.answer(MAPS, QUESTIONS, LENGTHS)
    hops = [
        {"v": hop.v.tolist(), "query": pair(hop.query_proj), "key": pair(hop.key_proj)}
        for hop in model.looks
    ]
    for row, length in enumerate(LENGTHS.tolist()):
        tokens = QUESTIONS[row, :length].tolist()
        logits, looks = reference.stacked_attention(
            {**question(model), "hops": hops}, seen[row].tolist(), tokens
        )
        assert_close(answered.logits[row], torch.tensor(logits, dtype=torch.float64))
        assert_close(answered.hops[row], torch.tensor(looks, dtype=torch.float64))


def test_boxes_are_read_as_a_plain_loop_reads_them():
    found = pooled(MAPS.double(), BOXES.corners.double(), points=3)
    for row in range(2):
        grid = MAPS[row].permute(1, 2, 0).double().tolist()
        for number, box in enumerate(BOXES.corners[row].double().tolist()):
            expected = reference.region(grid, box, 3)
            assert_close(found[row, number], torch.tensor(expected, dtype=torch.float64))


def test_boxes_have_gradients():
    corners = BOXES.corners[:, :1].double()
    features = MAPS.double().requires_grad_()
    assert torch.autograd.gradcheck(lambda maps: pooled(maps, corners), (features,))


def test_weights_are_shares_and_padding_is_irrelevant(maker):
    torch.manual_seed(0)
    model = maker[1]().eval()
    answered = model.answer(MAPS, QUESTIONS, LENGTHS)
    assert_close(answered.hops.sum(-1), torch.ones(answered.hops.shape[:2]))
    other = QUESTIONS.clone()
    other[1, 2:] = 8
    assert_close(model(MAPS, other, LENGTHS), answered.logits)
    alone = model(MAPS[1:], QUESTIONS[1:, :2], LENGTHS[1:])
    assert_close(alone, answered.logits[1:], atol=1e-5, rtol=1e-5)


def test_several_questions_about_one_picture_are_as_if_it_came_each_time(maker):
    torch.manual_seed(0)
    model = maker[1]().eval()
    owners = torch.tensor([1, 1])
    together = model(MAPS, QUESTIONS, LENGTHS, None, owners)
    apart = model(MAPS[[1, 1]], QUESTIONS, LENGTHS)
    assert_close(together, apart, atol=1e-5, rtol=1e-5)


def test_boxes_that_fill_up_are_not_looked_at(maker):
    torch.manual_seed(0)
    model = maker[1](regions="boxes").eval()
    answered = model.answer(MAPS, QUESTIONS, LENGTHS, BOXES)
    assert (answered.hops[1, :, 2] == 0).all()
    assert_close(answered.hops.sum(-1), torch.ones(answered.hops.shape[:2]))
    moved = BOXES.corners.clone()
    moved[1, 2] = torch.tensor([0.1, 0.1, 0.9, 0.9])
    changed = model.answer(MAPS, QUESTIONS, LENGTHS, Boxes(moved, BOXES.allowed))
    assert_close(changed.logits, answered.logits)


def test_without_attention_there_are_no_weights_and_it_is_one_field(maker):
    name, make = maker
    torch.manual_seed(0)
    answered = make(**WITHOUT[name]).eval().answer(MAPS, QUESTIONS, LENGTHS)
    assert answered.hops is None
    assert answered.words is None
    assert answered.logits.shape == (2, 4)
    assert not torch.allclose(
        *make(**WITHOUT[name]).eval()(MAPS, QUESTIONS[:1].expand(2, -1), LENGTHS[:1].expand(2))
    )


def test_words_of_a_transformer_look_one_by_one():
    torch.manual_seed(0)
    answered = transformer().eval().answer(MAPS, QUESTIONS, LENGTHS)
    assert answered.words.shape == (2, 4, 6)
    assert_close(answered.words.sum(-1), torch.ones(2, 4))
    assert answered.hops.shape == (2, 1, 6)


def test_every_parameter_learns(maker):
    torch.manual_seed(0)
    model = maker[1]().train()
    model(MAPS, QUESTIONS, LENGTHS).square().sum().backward()
    still = [
        name for name, one in model.named_parameters() if one.grad is None or not one.grad.any()
    ]
    assert still == []


def test_boxes_where_none_are_asked_for_and_none_where_they_are(maker):
    with pytest.raises(InputError, match="looks at the places of a grid, got boxes"):
        maker[1]()(MAPS, QUESTIONS, LENGTHS, BOXES)
    with pytest.raises(InputError, match="looks at boxes, got pictures without any"):
        maker[1](regions="boxes")(MAPS, QUESTIONS, LENGTHS)
