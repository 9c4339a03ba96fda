"""Readers of stories beside plain loops; what must not matter to them."""

import pytest
import torch
from pydantic import ValidationError
from torch.testing import assert_close

from models.reading.small import LABELS, MEMORIES, STORY, stories, story_config
from reference import reading as reference
from regard.lens import capture
from regard.models import build
from regard.models.reading.memories import noisy_ages, position_weights

ROWS = [[0, 1, 2, 3], [2, 4], [1, 3, 0, 2, 4]]


def made(memory, **changes):
    torch.manual_seed(0)
    return build(story_config(memory, **changes)).double().eval()


@pytest.mark.parametrize("tying", ["adjacent", "layer-wise", "none"])
@pytest.mark.parametrize("sentence", ["bag", "position"])
def test_a_memory_network_is_that_of_plain_loops(sentence, tying):
    update = "linear" if tying == "layer-wise" else "add"
    model = made(f"{sentence}, {tying}", update=update)
    logits, looks = model(stories(ROWS))
    tables = [table.weight.tolist() for table in model.memory.tables]
    ages = [table.weight.tolist() for table in model.memory.ages]
    pairs = {
        "adjacent": [(k, k + 1) for k in range(3)],
        "layer-wise": [(0, 1)] * 3,
        "none": [(2 * k, 2 * k + 1) for k in range(3)],
    }[tying]
    for row, numbers in enumerate(ROWS):
        *story, question = [STORY[number] for number in numbers]
        known, expected = reference.memory_network(
            story,
            question,
            [(tables[a], tables[c]) for a, c in pairs],
            tables[0] if tying == "adjacent" else tables[-1],
            [(ages[a], ages[c]) for a, c in pairs],
            positions=sentence == "position",
            linear=model.updates[0].proj.weight.tolist() if update == "linear" else None,
        )
        scores = [reference.dot(weights, known) for weights in model.output.weight.tolist()]
        assert_close(logits[row], torch.tensor(scores, dtype=torch.double))
        found = looks[row, :, : len(story)]
        assert_close(found, torch.tensor(expected, dtype=torch.double))


def test_words_count_by_where_they_stand_as_a_plain_loop_says():
    weights = position_weights(torch.tensor([3, 1, 0]), 5, 7)
    for row, words in enumerate([3, 1, 0]):
        for j in range(5):
            for d in range(7):
                there = reference.position_weight(j + 1, words, d + 1, 7) if j < words else 0.0
                assert float(weights[row, j, d]) == pytest.approx(there, abs=1e-6)


@pytest.mark.parametrize("memory", MEMORIES)
def test_padding_and_neighbours_do_not_matter(memory):
    model = made(memory)
    together, looks = model(stories(ROWS, width=9))
    for row, numbers in enumerate(ROWS):
        alone, seen = model(stories([numbers]))
        assert_close(together[row], alone[0])
        length = len(numbers) - 1
        assert_close(looks[row, :, :length], seen[0, :, :length])
        assert (looks[row, :, length:] == 0).all()
        assert_close(looks[row].sum(dim=-1), torch.ones(3, dtype=torch.double))


@pytest.mark.parametrize("memory", ["position, adjacent", "encoded, read side by side"])
def test_the_order_of_sentences_matters_by_their_ages(memory):
    model = made(memory)
    one, _ = model(stories([[0, 1, 2, 3]]))
    other, _ = model(stories([[1, 0, 2, 3]]))
    assert not torch.allclose(one, other)


def test_a_story_without_a_sentence_is_answered_by_the_question():
    model = made("encoded")
    logits, looks = model(stories([[2], [0, 3]]))
    assert logits.isfinite().all() and logits.shape == (2, LABELS)
    assert (looks[0] == 0).all()


@pytest.mark.parametrize("memory", ["position, adjacent", "encoded, read side by side"])
def test_every_parameter_has_a_right_gradient(memory):
    model = made(memory, hops=2, update="add")
    parameters = dict(model.named_parameters())
    sizes = [one.numel() for one in parameters.values()]
    flat = torch.cat([one.detach().flatten() for one in parameters.values()]).requires_grad_()
    batch = stories([[0, 1, 3], [2, 4]])

    def run(values):
        parts = zip(parameters.items(), values.split(sizes), strict=True)
        given = {name: part.view_as(one) for (name, one), part in parts}
        return torch.func.functional_call(model, given, (batch,))[0]

    assert torch.autograd.gradcheck(run, (flat,), fast_mode=True)


def test_the_lens_sees_every_hop():
    model = made("encoded")
    with capture(model) as record:
        _, looks = model(stories(ROWS))
    for hop in range(3):
        assert_close(record[f"hops.{hop}"].weights.squeeze(1), looks[:, hop])


def test_a_linear_start_pools_with_scores():
    model = made("position, adjacent", hops=1).train()
    model.linear = True
    _, looks = model(stories(ROWS))
    read = model.memory(stories(ROWS), noisy_ages(stories(ROWS).lengths, 5, probability=0.0))
    scores = (read.question.unsqueeze(1) @ read.keys[0].mT).squeeze(1)
    assert_close(looks[0, 0, :3], scores[0, :3])
    assert (looks[1, 0, 1:] == 0).all()


def test_noise_makes_sentences_older_and_keeps_their_order():
    torch.manual_seed(0)
    lengths = torch.tensor([5, 2])
    old = noisy_ages(lengths, 6, probability=0.0)
    assert old.tolist() == [[5, 4, 3, 2, 1, 0], [2, 1, 0, 0, 0, 0]]
    noisy = torch.stack([noisy_ages(lengths, 6, probability=0.5) for _ in range(20)])
    assert (noisy >= old).all() and (noisy > old).any()
    assert (noisy[:, 0, :-2] > noisy[:, 0, 1:-1]).all()
    assert (noisy[:, 0, 5:] == 0).all() and (noisy[:, 1, 2:] == 0).all()


def test_a_linear_update_is_not_of_adjacent_tying():
    with pytest.raises(ValidationError, match="layer-wise tying"):
        story_config("bag, adjacent", update="linear")
