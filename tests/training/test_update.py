"""One update: many batches are one, long gradients are cut, and what is no number stops it."""

import math
from copy import deepcopy

import pytest
import torch
from torch.testing import assert_close

from reference.objective import adam as adam_by_loops
from regard.errors import DivergedError
from regard.models import build
from regard.tasks.translation.config import LossConfig
from regard.tasks.translation.corpus import Batch
from regard.tasks.translation.objective import TranslationObjective
from regard.training.loop import flat
from regard.training.processes import Processes
from regard.training.schedules import Constant
from regard.training.settings import OptimisationConfig
from regard.training.update import Updater, adam
from tasks.translation.test_objective import TARGETS, batch
from training import small

CPU = torch.device("cpu")


def updater(name="bahdanau", dtype=torch.float64, objective=None, **options):
    torch.manual_seed(5)
    preset, sizes = small.MODELS[name]
    model = build(preset, source_vocab=11, target_vocab=7, **sizes, dropout=0.0).to(dtype)
    config = objective or LossConfig(guided=0.3, label_smoothing=0.1)
    processes = Processes(TranslationObjective(model, config), CPU)
    return Updater(processes, OptimisationConfig(**options))


def part(rows) -> Batch:
    """Some rows, with the tokens of these alone."""
    return batch(rows)._replace(num_targets=sum(len(TARGETS[row]) for row in rows))


def parameters(made):
    return {name: one.detach().clone() for name, one in made.processes.own.named_parameters()}


def moments(made):
    """Adam's mean of the gradients, as one vector."""
    states = made.optimiser.state_dict()["state"].values()
    return torch.cat([state["exp_avg"].flatten() for state in states])


@pytest.mark.parametrize("name", ["bahdanau", "transformer", "convs2s"])
def test_batches_one_after_the_other_are_one_large_batch(name):
    whole, cut = updater(name), updater(name)
    for step in (1, 2):
        one = whole.update(step, [part((0, 1, 2))])
        many = cut.update(step, [part((2,)), part((0, 1))])
        assert flat(one) == pytest.approx(flat(many), rel=1e-9)
        assert one.targets == sum(map(len, TARGETS))
    for left, right in zip(parameters(whole).values(), parameters(cut).values(), strict=True):
        assert_close(left, right, rtol=1e-7, atol=1e-9)


def test_the_numbers_of_an_update_are_means_over_its_tokens():
    made = updater()
    expected = made.processes.own(batch())
    update = made.update(1, [part((0,)), part((1,)), part((2,))])
    tokens = sum(map(len, TARGETS))
    assert update.loss == pytest.approx(expected.total.item() / tokens)
    assert update.parts["nll"] == pytest.approx(expected.parts["nll"].item() / tokens)
    assert update.parts["guided"] == pytest.approx(expected.parts["guided"].item() / tokens)
    assert update.made


def test_a_long_gradient_is_shortened_and_its_length_told():
    free, clipped = updater(clip=None), updater(clip=0.01)
    told = free.update(1, [part((0, 1, 2))]).gradient_norm
    length = moments(free).norm().item() / 0.1
    assert told == pytest.approx(length, rel=1e-6)
    assert told > 0.02
    assert clipped.update(1, [part((0, 1, 2))]).gradient_norm == pytest.approx(told)
    assert moments(clipped).norm().item() / 0.1 == pytest.approx(0.01, rel=1e-3)


def test_a_short_gradient_is_left_alone():
    free, clipped = updater(clip=None), updater(clip=100.0)
    for made in (free, clipped):
        made.update(1, [part((0, 1, 2))])
    assert_close(moments(free), moments(clipped), rtol=1e-12, atol=0)


def test_parameters_go_the_way_of_adam_at_the_rate_of_the_schedule_and_only_matrices_decay():
    options = {"rate": 0.2, "betas": (0.8, 0.9), "epsilon": 1e-3, "weight_decay": 0.3, "clip": None}
    made = updater(schedule=Constant(warmup=4), **options)
    start = parameters(made)
    gradients = {name: [] for name in start}
    for name, parameter in made.processes.own.named_parameters():
        parameter.register_hook(lambda grad, name=name: gradients[name].append(grad.clone()))
    rates = []
    for step in (1, 2, 3):
        rates.append(made.update(step, [part((0, 1, 2))]).rate)
    assert rates == pytest.approx([0.05, 0.1, 0.15])
    kinds = set()
    for name, parameter in made.processes.own.named_parameters():
        kinds.add(parameter.ndim)
        for place in {0, parameter.numel() // 2}:
            expected = adam_by_loops(
                start[name].flatten()[place].item(),
                [gradient.flatten()[place].item() for gradient in gradients[name]],
                rates,
                betas=(0.8, 0.9),
                epsilon=1e-3,
                decay=0.3 if parameter.ndim > 1 else 0.0,
            )
            assert parameter.flatten()[place].item() == pytest.approx(expected, rel=1e-7)
    assert kinds >= {1, 2}


def test_all_parameters_that_learn_are_updated_once_and_frozen_ones_are_not():
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 2))
    model[1].weight = torch.nn.Parameter(model[0].weight.detach().T.clone(), requires_grad=False)
    optimiser = adam(model, OptimisationConfig(weight_decay=0.1))
    groups = [[one.ndim for one in group["params"]] for group in optimiser.param_groups]
    assert groups == [[2], [1, 1]]
    assert [group["weight_decay"] for group in optimiser.param_groups] == [0.1, 0.0]


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("where", ["loss", "gradient"])
def test_what_is_no_number_stops_the_step_and_changes_nothing(value, where):
    made = updater(objective=LossConfig())
    made.update(1, [part((0, 1, 2))])
    weight = made.processes.own.model.output.proj.bias
    if where == "loss":
        with torch.no_grad():
            weight[4] = value
    else:
        weight.register_hook(lambda gradient: gradient * value)
    before = made.state_dict()
    kept = {name: one.clone() for name, one in before["objective"].items()}
    mean = moments(made)
    sentence = "it is" if where == "loss" else "its gradient has length"
    advice = "in a new run, with --init-from and a lower "
    with pytest.raises(
        DivergedError, match=rf"step 2 needs a finite loss, but {sentence} .* 1, 0;.* {advice}"
    ):
        made.update(2, [part((1, 0))])
    for name, one in made.state_dict()["objective"].items():
        assert torch.equal(one.nan_to_num(7.0), kept[name].nan_to_num(7.0)), name
    assert torch.equal(moments(made), mean)
    assert {state["step"].item() for state in made.optimiser.state_dict()["state"].values()} == {1}
    assert all(one.grad is None for one in made.processes.own.parameters())


def test_a_long_list_of_examples_is_cut_in_the_message():
    made = updater()
    with torch.no_grad():
        made.processes.own.model.output.proj.bias.fill_(math.nan)
    many = part((0, 1, 2))
    with pytest.raises(DivergedError, match=r"0, 1, 2, 0, 1, 2, 0, 1, …; the update was not made"):
        made.update(1, [many, many, many])


def test_hard_attention_is_judged_by_the_mean_of_the_whole_step():
    for cut in ([(0, 1, 2)], [(0,), (1, 2)]):
        made, gained = updater("hard"), []
        objective = made.processes.own
        objective.register_forward_hook(
            lambda *call, gained=gained: gained.append(call[-1].parts["gained"])
        )
        made.update(1, [part(rows) for rows in cut])
        mean = sum(gained).item() / sum(map(len, TARGETS))
        assert mean != 0
        assert objective.baseline.value.item() == pytest.approx(0.1 * mean)


@pytest.mark.parametrize("name", ["transformer", "hard"])
def test_half_precision_learns_and_weights_stay_in_full(name):
    made = updater(name, torch.float32, precision="bfloat16", rate=0.05)
    exact = updater(name, torch.float32, rate=0.05)
    first = made.update(1, [part((0, 1, 2))])
    if name != "hard":
        assert first.loss == pytest.approx(exact.update(1, [part((0, 1, 2))]).loss, rel=0.02)
    for step in range(2, 9):
        update = made.update(step, [part((0, 1, 2))])
    assert update.parts["nll"] < 0.9 * first.parts["nll"]
    assert {one.dtype for one in made.processes.own.parameters()} == {torch.float32}


def test_it_goes_on_from_its_state_bit_for_bit():
    made, other = updater(), updater()
    made.update(1, [part((0, 1))])
    other.load_state_dict(deepcopy(made.state_dict()))
    for one in (made, other):
        one.update(2, [part((1, 2))])
    for left, right in zip(parameters(made).values(), parameters(other).values(), strict=True):
        assert torch.equal(left, right)


@pytest.mark.parametrize("wrong", [{"rate": 0}, {"clip": 0}, {"accumulate": 0}, {"precision": "f"}])
def test_values_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        OptimisationConfig(**wrong)
