"""Hard attention: what is drawn, and whether the three estimators learn from it as they claim."""

import math

import jaxtyping
import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import attention as attention_reference
from reference import decoder_attention as reference
from reference import normalisers as ref_normalisers
from reference import scores as ref_scores
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.lens import capture
from regard.nn import HardAttention, estimator_variance

ESTIMATORS = ["reinforce", "straight_through", "gumbel"]
K, E = 4, 3


def made(estimator="reinforce", **more):
    return HardAttention(5, 2, estimator=estimator, hidden_dim=7, **more).double()


def vectors(batch=2):
    return [torch.randn(batch, *shape, dtype=torch.double) for shape in ((5,), (K, 2), (K, E))]


def scores_of(attention, state, keys):
    """The row of scores of one state, by loops."""
    v, query, key = (
        p.tolist() for p in (attention.v, attention.query_proj.weight, attention.key_proj.weight)
    )
    return [ref_scores.additive(v, query, key, state.tolist(), k) for k in keys.tolist()]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("training", [True, False])
def test_the_weights_are_the_distribution_and_the_context_is_one_value(estimator, training):
    attention = made(estimator).train(training)
    state, keys, values = vectors()
    memory = attention.prepare(keys, torch.tensor([4, 3]), values=values)
    choice = attention.sample(state, memory)
    for b, length in enumerate((4, 3)):
        row = scores_of(attention, state[b], keys[b])
        expected = ref_normalisers.softmax(row, [i < length for i in range(K)])
        assert_close(choice.weights[b], torch.tensor(expected, dtype=torch.double))
        picked = choice.picked[b].item()
        assert 0 <= picked < length
        assert choice.context[b].tolist() == values[b, picked].tolist()
        assert_close(choice.log_prob[b].item(), math.log(expected[picked]))
        assert_close(choice.entropy[b].item(), attention_reference.entropy(expected))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_in_evaluation_the_likeliest_key_is_picked_every_time(estimator):
    attention = made(estimator).eval()
    state, keys, values = vectors()
    memory = attention.prepare(keys, values=values)
    choices = [attention.sample(state, memory) for _ in range(5)]
    for choice in choices:
        assert choice.picked.tolist() == choice.weights.argmax(-1).tolist()
        assert_close(choice.context, choices[0].context)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_in_training_keys_are_drawn_as_often_as_their_weights_say(estimator):
    attention, draws = made(estimator), 20000
    state, keys, values = vectors(batch=1)
    memory = attention.prepare(keys, torch.tensor([3]), values=values)
    choice = attention.samples(3 * state.expand(draws, 5).unsqueeze(0), memory)
    often = torch.bincount(choice.picked.flatten(), minlength=K) / draws
    spread = (choice.weights[0, 0] * (1 - choice.weights[0, 0]) / draws).sqrt()
    assert often[3] == 0
    assert ((often - choice.weights[0, 0]).abs() <= 4.5 * spread).all()


def test_the_same_generator_draws_the_same_keys():
    attention = made()
    state, keys, _ = vectors(batch=50)
    memory = attention.prepare(keys)

    def picked(seed):
        return attention.sample(state, memory, generator=torch.Generator().manual_seed(seed)).picked

    assert picked(3).tolist() == picked(3).tolist()
    assert picked(3).tolist() != picked(4).tolist()
    generator = torch.Generator().manual_seed(3)
    context, _ = attention(state, memory, generator=generator)
    assert context.tolist() == keys[torch.arange(50), picked(3)].tolist()
    again = attention(state, memory, generator=generator)[0]
    assert again.tolist() != context.tolist()


def test_a_draw_does_not_depend_on_padding():
    attention = made()
    state, keys, _ = vectors(batch=30)
    lengths = torch.full((30,), 3)
    picked = [
        attention.sample(state, attention.prepare(k, lengths), generator=torch.Generator()).picked
        for k in (keys, keys[:, :3])
    ]
    assert picked[0].tolist() == picked[1].tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_without_a_key_nothing_is_picked_and_nothing_learned(estimator):
    attention = made(estimator)
    state, keys, values = (x.requires_grad_() for x in vectors())
    choice = attention.sample(state, attention.prepare(keys, torch.tensor([0, 4]), values=values))
    assert choice.picked[0] == -1
    for field in (choice.context, choice.weights, choice.log_prob, choice.entropy):
        assert (field[0] == 0).all()
    sum(x.square().sum() for x in (choice.context, choice.log_prob, choice.entropy)).backward()
    for x in (state, keys, values):
        assert (x.grad[0] == 0).all()
        assert x.grad.isfinite().all()


def test_reinforce_brings_no_gradient_by_the_context():
    attention = made("reinforce")
    state, keys, values = (x.requires_grad_() for x in vectors())
    choice = attention.sample(state, attention.prepare(keys, values=values))
    (gradient,) = torch.autograd.grad(choice.context.sum(), values, retain_graph=True)
    assert gradient.sum().item() == 2 * E
    assert torch.autograd.grad(choice.context.sum(), state, allow_unused=True) == (None,)


@pytest.mark.parametrize("field", ["log_prob", "entropy", "weights"])
def test_what_the_loss_reads_has_right_gradients(field):
    attention = made("reinforce").eval()
    state, keys, _ = (x.requires_grad_() for x in vectors())

    def read(state, keys):
        memory = attention.prepare(keys, torch.tensor([4, 3]))
        return getattr(attention.sample(state, memory), field)

    assert gradcheck(read, (state, keys))


REWARDS = torch.tensor([0.3, -1.2, 2.5, 0.7], dtype=torch.double)


class OfScores(HardAttention):
    """The scores are the state itself, so that a gradient by the state is one by the scores."""

    def __init__(self, estimator, **more):
        super().__init__(K, K, score="dot", estimator=estimator, **more)


def of_scores(estimator, **more):
    """An attention over one-hot keys, a row of scores, a memory whose values are rewards."""
    attention = OfScores(estimator, **more).double()
    row = torch.tensor([[0.5, -0.3, 1.1, 0.2]], dtype=torch.double)
    memory = attention.prepare(torch.eye(K).double()[None], values=REWARDS[None, :, None])
    exact = reference.expected_reward_gradient(row[0].tolist(), [True] * K, REWARDS.tolist())
    return attention, row, memory, torch.tensor([exact], dtype=torch.double)


def reward(context):
    return context.squeeze(-1)


def test_reinforce_weighted_by_every_key_is_the_exact_gradient():
    attention, row, memory, exact = of_scores("reinforce")
    row.requires_grad_()
    total, seen = torch.zeros_like(row), set()
    while len(seen) < K:
        choice = attention.sample(row, memory)
        picked = choice.picked.item()
        if picked in seen:
            continue
        seen.add(picked)
        share = choice.weights[0, picked].detach()
        gain = (reward(choice.context).detach() - 0.4) * choice.log_prob
        total += share * torch.autograd.grad(gain.sum(), row)[0]
    assert_close(total, exact)


@pytest.mark.parametrize("baseline", [0.0, 0.8])
def test_reinforce_is_right_on_average(baseline):
    attention, row, memory, exact = of_scores("reinforce")
    draws = 20000
    mean, variance = estimator_variance(
        attention, row, memory, reward, draws=draws, baseline=baseline
    )
    assert (mean - exact).norm() < 4 * (variance / draws).sqrt()
    assert (mean - exact).norm() < 0.1 * exact.norm()


def test_reinforce_has_the_variance_of_its_definition():
    attention, row, memory, exact = of_scores("reinforce")
    weights = ref_normalisers.softmax(row[0].tolist(), [True] * K)
    second = 0.0  # the mean of |r (one-hot − p)|²
    for i, p in enumerate(weights):
        score = [(i == j) - q for j, q in enumerate(weights)]
        second += p * REWARDS[i].item() ** 2 * sum(x * x for x in score)
    expected = second - exact.square().sum().item()
    _, variance = estimator_variance(attention, row, memory, reward, draws=20000)
    assert_close(variance.item(), expected, rtol=0.05, atol=0)


def test_a_baseline_near_the_usual_reward_lowers_the_variance():
    attention, row, memory, _ = of_scores("reinforce")
    far = lambda context: reward(context) + 10  # noqa: E731
    plain = estimator_variance(attention, row, memory, far, draws=2000).variance
    usual = estimator_variance(attention, row, memory, far, draws=2000, baseline=11.0).variance
    assert usual.item() < plain.item() / 20


def test_straight_through_takes_the_gradient_of_the_mean():
    attention, row, memory, exact = of_scores("straight_through")
    mean, variance = estimator_variance(attention, row, memory, reward, draws=50)
    # A linear reward: the gradient of the weighted mean is the exact one, whatever is drawn.
    assert_close(mean, exact)
    assert_close(variance, torch.zeros(1).double())


def test_straight_through_asks_for_the_slope_where_it_looked():
    attention, row, memory, _ = of_scores("straight_through")
    row.requires_grad_()
    choice = attention.sample(row, memory)
    (gradient,) = torch.autograd.grad(choice.context.square().sum(), row)
    slope = 2 * REWARDS[choice.picked.item()].item()
    expected = reference.expected_reward_gradient(
        row[0].tolist(), [True] * K, (slope * REWARDS).tolist()
    )
    assert_close(gradient[0], torch.tensor(expected, dtype=torch.double))


def test_gumbel_takes_the_gradient_of_the_noisy_softmax(monkeypatch):
    temperature, noise = 0.7, [0.4, 2.1, -0.6, 0.3]
    monkeypatch.setattr(
        "regard.nn.hard._gumbel", lambda like, _: torch.tensor(noise, dtype=like.dtype)
    )
    attention, row, memory, _ = of_scores("gumbel", temperature=temperature)
    row.requires_grad_()
    choice = attention.sample(row, memory)
    assert choice.picked.tolist() == [1]  # −0.3 + 2.1 is the largest
    assert choice.context.item() == REWARDS[1].item()
    (gradient,) = torch.autograd.grad(choice.context.sum(), row)
    noisy = [(e + g) / temperature for e, g in zip(row[0].tolist(), noise, strict=True)]
    by_noisy = reference.expected_reward_gradient(noisy, [True] * K, REWARDS.tolist())
    expected = [g / temperature for g in by_noisy]
    assert_close(gradient[0], torch.tensor(expected, dtype=torch.double))


def test_gumbel_gets_less_biased_and_noisier_as_it_cools():
    found = {}
    for temperature in (5.0, 0.3):
        attention, row, memory, exact = of_scores("gumbel", temperature=temperature)
        mean, variance = estimator_variance(attention, row, memory, reward, draws=20000)
        found[temperature] = (mean - exact).norm().item(), variance.item()
    assert found[0.3][0] < found[5.0][0]
    assert found[0.3][1] > found[5.0][1]


def test_the_pathwise_estimators_have_less_variance_than_reinforce():
    variance = {}
    for estimator in ESTIMATORS:
        attention, row, memory, _ = of_scores(estimator)
        variance[estimator] = estimator_variance(attention, row, memory, reward).variance.item()
    assert variance["straight_through"] < variance["gumbel"] < variance["reinforce"]


@pytest.mark.parametrize("estimator", ["straight_through", "gumbel"])
def test_where_to_look_can_be_learned_by_descent(estimator):
    attention, row, memory, _ = of_scores(estimator)
    row = row.requires_grad_()
    optimiser = torch.optim.Adam([row], lr=0.3)
    for _ in range(50):
        optimiser.zero_grad()
        (-reward(attention(row, memory)[0])).sum().backward()
        optimiser.step()
    assert attention.eval().sample(row, memory).weights[0, 2] > 0.8


def test_sparse_weights_never_pick_what_they_leave_out():
    attention = made(normalise="sparsemax")
    state, keys, _ = vectors(batch=1)
    with torch.no_grad():
        attention.v.mul_(10)
    states = state.repeat(500, 1)[None].requires_grad_()
    choice = attention.samples(states, attention.prepare(keys))
    assert (choice.weights[0, 0] == 0).any()
    assert (choice.weights[0].gather(-1, choice.picked[0, :, None]) > 0).all()
    choice.entropy.sum().backward()


def test_capture_sees_the_distribution():
    attention = made()
    state, keys, _ = vectors()
    with capture(attention) as record:
        _, weights = attention(state, attention.prepare(keys))
    assert_close(record[""].weights.squeeze(-2), weights)


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16])
def test_log_prob_and_entropy_stay_in_float32(dtype):
    attention = made().to(dtype)
    state, keys, _ = (x.to(dtype) for x in vectors())
    choice = attention.sample(state, attention.prepare(keys))
    assert choice.log_prob.dtype == choice.entropy.dtype == torch.float32
    assert choice.context.dtype == choice.weights.dtype == dtype


@pytest.fixture
def as_users_call(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.mark.usefixtures("as_users_call")
class TestChoicesThatDoNotFit:
    def test_an_unknown_estimator(self):
        with pytest.raises(ChoiceError, match=r"unknown estimator 'reinforced'. Did you mean"):
            HardAttention(5, 2, estimator="reinforced")

    def test_a_temperature_where_there_is_none(self):
        with pytest.raises(ChoiceError, match="temperature for the estimator 'gumbel' only, got"):
            HardAttention(5, 2, temperature=0.5)

    def test_a_temperature_of_zero(self):
        with pytest.raises(RangeError, match="HardAttention needs a positive temperature, got 0"):
            HardAttention(5, 2, estimator="gumbel", temperature=0.0)

    def test_variance_of_what_draws_nothing(self):
        attention, row, memory, _ = of_scores("gumbel")
        with pytest.raises(ChoiceError, match=r"in training mode.*call attention.train\(\)"):
            estimator_variance(attention.eval(), row, memory, reward)

    def test_variance_of_one_draw(self):
        attention, row, memory, _ = of_scores("gumbel")
        with pytest.raises(RangeError, match="at least 2 draws, got 1"):
            estimator_variance(attention, row, memory, reward, draws=1)

    def test_a_reward_per_entry(self):
        attention, row, memory, _ = of_scores("gumbel")
        with pytest.raises(ShapeError, match=r"one reward per context, \(1, 9\), got \(1, 9, 1\)"):
            estimator_variance(attention, row, memory, lambda context: context, draws=9)
