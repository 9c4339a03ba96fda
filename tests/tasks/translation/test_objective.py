"""What training minimises, against loops, and through every kind of model."""

import pytest
import torch
from torch.testing import assert_close

from reference import objective as reference
from regard.models import build
from regard.tasks.translation.corpus import Alignment, Batch, empty_batch
from regard.tasks.translation.objective import (
    LossConfig,
    TranslationObjective,
    guided_attention_loss,
)
from training import small
from training.scripted import Scripted

VOCAB, KEYS = 7, 5
TARGETS = [[4, 6, 5, 3], [5, 3], [6, 4, 3]]
"""The end of a sentence is 3; nothing is 0."""
LENGTHS = [5, 2, 4]
LINKS = {(0, 0): (0, 2), (0, 1): (1,), (0, 3): (4,), (2, 0): (1, 2, 3), (1, 0): (1,)}
"""Source positions by row and step; the last step but one of row 0 has none."""
GOLD = [True, False, True]
"""Row 1 has links in its array but no gold."""


def batch(rows=(0, 1, 2), gold=GOLD):
    steps = max(len(TARGETS[row]) for row in rows)
    keys = max(LENGTHS[row] for row in rows)
    out = torch.zeros(len(rows), steps, dtype=torch.long)
    links = torch.zeros(len(rows), steps, keys, dtype=torch.bool)
    for place, row in enumerate(rows):
        out[place, : len(TARGETS[row])] = torch.tensor(TARGETS[row])
        for (of, step), positions in LINKS.items():
            if of == row:
                links[place, step, list(positions)] = True
    source = torch.ones(len(rows), keys, dtype=torch.long)
    source[:, 0] = torch.tensor(rows) + 1
    begun = torch.cat([torch.full((len(rows), 1), 2), out[:, :-1]], dim=1)
    known = torch.tensor([gold[row] for row in rows])
    return Batch(
        source=source,
        source_lengths=torch.tensor([LENGTHS[row] for row in rows]),
        target_in=begun,
        target_out=out,
        target_lengths=torch.tensor([len(TARGETS[row]) for row in rows]),
        indices=torch.tensor(rows),
        alignment=Alignment(links, known) if known.any() else None,
        num_targets=sum(len(target) for target in TARGETS),
    )


def scripted(draws=False, lasting=True):
    return Scripted(rows=3, steps=4, keys=KEYS, vocab=VOCAB, draws=draws, lasting=lasting)


def tokens():
    """Row, step and token of every target."""
    return [(row, step, token) for row, out in enumerate(TARGETS) for step, token in enumerate(out)]


def softmax(row):
    total = sum(row.exp().tolist())
    return [value / total for value in row.exp().tolist()]


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_it_is_the_cross_entropy_of_every_token_with_smoothed_labels(smoothing):
    model = scripted()
    loss = TranslationObjective(model, LossConfig(label_smoothing=smoothing))(batch())
    logits = model.logits.tolist()
    surprise = sum(reference.surprise(logits[r][t], token) for r, t, token in tokens())
    smoothed = sum(reference.smoothed(logits[r][t], token, smoothing) for r, t, token in tokens())
    assert loss.parts["nll"].item() == pytest.approx(surprise, rel=1e-12)
    assert loss.total.item() == pytest.approx(smoothed, rel=1e-12)
    assert loss.parts["guided"] == 0
    assert not loss.parts["nll"].requires_grad


def guided_by_loops(model, gold=GOLD):
    total = 0.0
    for row, step, _ in tokens():
        weights = softmax(model.scores[row, step, : LENGTHS[row]])
        links = [i in LINKS.get((row, step), ()) for i in range(LENGTHS[row])]
        total += gold[row] * reference.guided(weights, links)
    return total


def test_guided_attention_leaves_out_tokens_without_links_and_sentences_without_gold():
    model = scripted()
    plain = TranslationObjective(model, LossConfig())(batch())
    loss = TranslationObjective(model, LossConfig(guided=0.7))(batch())
    expected = guided_by_loops(model)
    assert loss.parts["guided"].item() == pytest.approx(expected, rel=1e-12)
    assert (loss.total - plain.total).item() == pytest.approx(0.7 * expected, rel=1e-12)
    assert plain.parts["guided"] == 0


def test_without_any_gold_guided_attention_adds_nothing():
    model = scripted()
    none = [False, False, False]
    loss = TranslationObjective(model, LossConfig(guided=0.7))(batch(gold=none))
    assert loss.parts["guided"] == 0
    assert loss.total.item() == TranslationObjective(model, LossConfig())(batch()).total.item()


def test_weights_that_are_zero_where_gold_is_cost_much_but_not_everything():
    gold = Alignment(torch.tensor([[[True, True]]]), torch.tensor([True]))
    weights = torch.tensor([[[0.0, 1.0]]], requires_grad=True)
    loss = guided_attention_loss(weights, gold, torch.tensor([[True]]))
    assert loss.item() == pytest.approx(reference.guided([0.0, 1.0], [True, True]))
    loss.backward()
    assert weights.grad.isfinite().all()


def gained(model, row, step):
    """What a token's likelihood by the draws is more than that by the likeliest positions."""
    token = TARGETS[row][step]
    drawn, likeliest = (
        reference.surprise(logits[row, step].tolist(), token)
        for logits in (model.logits, model.likeliest)
    )
    return likeliest - drawn


def reward(model, row, step, usual=0.0):
    """Of all tokens that depend on a choice."""
    last = len(TARGETS[row]) if model.lasting else step + 1
    return sum(gained(model, row, later) - usual for later in range(step, last))


@pytest.mark.parametrize("lasting", [True, False])
def test_choices_are_paid_by_the_likelihood_of_all_tokens_that_depend_on_them(lasting):
    model = scripted(draws=True, lasting=lasting)
    config = LossConfig(reinforce=0.6, entropy=0.2)
    objective = TranslationObjective(model, config)
    objective.baseline.value.fill_(-0.5)
    expected = 0.0
    for row, step, token in tokens():
        expected += reference.surprise(model.logits[row, step].tolist(), token)
        expected += reference.reinforce(
            reward=reward(model, row, step, usual=-0.5),
            baseline=0.0,
            log_prob=model.log_prob[row, step].item(),
            entropy=model.entropy[row, step].item(),
            weights=(0.6, 0.2),
        )
    loss = objective(batch())
    assert loss.total.item() == pytest.approx(expected, rel=1e-12)
    assert loss.parts["gained"].item() == pytest.approx(
        sum(gained(model, r, t) for r, t, _ in tokens())
    )
    assert model.training


def test_the_reward_reaches_what_draws_and_not_what_predicts():
    model = scripted(draws=True)
    plain = torch.autograd.grad(
        TranslationObjective(model, LossConfig(reinforce=0, entropy=0))(batch()).total, model.logits
    )[0]
    objective = TranslationObjective(model, LossConfig(reinforce=2.0, entropy=0.5))
    objective(batch()).total.backward()
    assert_close(model.logits.grad, plain, rtol=0, atol=0)
    assert model.likeliest.grad is None
    for row, step, _ in tokens():
        expected = -2.0 * reward(model, row, step)
        assert model.log_prob.grad[row, step].item() == pytest.approx(expected)
        assert model.entropy.grad[row, step].item() == -0.5


def test_the_baseline_moves_when_a_step_is_made_and_not_when_a_batch_is_read():
    objective = TranslationObjective(scripted(draws=True), LossConfig())
    objective(batch())
    assert objective.baseline.value == 0
    objective.after_step({"gained": 3.0})
    assert objective.baseline.value.item() == pytest.approx(0.1 * 3.0)


@pytest.mark.parametrize("draws", [False, True], ids=["looks", "draws"])
@pytest.mark.parametrize("cut", [[(0,), (1, 2)], [(2,), (1,), (0,)]], ids=["two", "three"])
def test_it_does_not_matter_how_a_step_is_cut_into_batches(cut, draws):
    model = scripted(draws=draws)
    config = LossConfig(label_smoothing=0.1, guided=0.4)
    objective = TranslationObjective(model, config)
    whole = objective(batch())
    parts = [objective(batch(rows)) for rows in cut]
    assert_close(sum(part.total for part in parts), whole.total, rtol=1e-12, atol=0)
    for name, value in whole.parts.items():
        assert_close(sum(part.parts[name] for part in parts), value, rtol=1e-12, atol=0)


def test_a_row_of_nothing_costs_nothing_and_has_a_gradient_of_zero():
    model = scripted(draws=True)
    loss = TranslationObjective(model, LossConfig(guided=1.0, label_smoothing=0.1))(
        empty_batch(9)._replace(source=torch.tensor([[1]]))
    )
    assert [part.item() for part in (loss.total, *loss.parts.values())] == [0, 0, 0, 0]
    loss.total.backward()
    assert all(one.grad is None or not one.grad.any() for one in model.parameters())
    assert model.logits.grad is not None


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_its_gradient_is_right(smoothing):
    model = scripted()
    objective = TranslationObjective(model, LossConfig(label_smoothing=smoothing, guided=0.5))

    def total(logits, scores):
        replaced = {"model.logits": logits, "model.scores": scores}
        return torch.func.functional_call(objective, replaced, (batch(),)).total

    inputs = [model.logits.detach().clone(), model.scores.detach().clone()]
    assert torch.autograd.gradcheck(total, [value.requires_grad_() for value in inputs])


@pytest.mark.parametrize("name", small.MODELS)
def test_every_kind_of_model_learns_from_it(name):
    preset, sizes = small.MODELS[name]
    model = build(preset, source_vocab=11, target_vocab=VOCAB, **sizes, dropout=0.0)
    config = LossConfig(guided=0.5, label_smoothing=0.1)
    objective = TranslationObjective(model, config)
    optimiser = torch.optim.Adam(objective.parameters(), lr=0.05)
    costs = []
    for _ in range(12):
        loss = objective(batch())
        assert (loss.parts["guided"] > 0) == (name != "plain")
        optimiser.zero_grad()
        loss.total.backward()
        assert all(p.grad is None or p.grad.isfinite().all() for p in objective.parameters())
        optimiser.step()
        costs.append(loss.parts["nll"].item())
    assert costs[-1] < 0.7 * costs[0]


@pytest.mark.parametrize("wrong", [{"label_smoothing": 1.0}, {"guided": -1}, {"guide": 1}])
def test_values_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LossConfig(**wrong)
