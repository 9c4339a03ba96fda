"""Two processes with half of every batch each make the run of one."""

import shutil

import pytest
import torch
from torch.testing import assert_close

from regard.training import log
from training import small
from training.distributed import together


def curve(folder):
    lines = [line for line in log.read(folder / small.LOG) if line["kind"] == "train"]
    keys = ("loss", "nll", "guided", "gradient_norm")
    return torch.tensor([[line[key] for key in keys] for line in lines])


def scores(folder):
    lines = [line for line in log.read(folder / small.LOG) if line["kind"] == "valid"]
    return torch.tensor([[line["loss"], line["chrf"], line["aer"]] for line in lines])


def assert_alike(one, other):
    """The same up to the order in which numbers were added."""
    assert_close(curve(one), curve(other), rtol=1e-5, atol=1e-6)
    assert_close(scores(one)[-1], scores(other)[-1], rtol=1e-5, atol=1e-5)
    assert len(curve(one)) == together.STEPS
    left, right = small.last(one), small.last(other)
    assert left.step == right.step == together.STEPS
    assert_close(moved(left.model), moved(right.model), rtol=1e-4, atol=1e-5)
    learning = (moved(left.resume["learning"]), moved(right.resume["learning"]))
    assert_close(*learning, rtol=1e-4, atol=1e-5)
    assert [*left.model] == [*right.model]
    assert [*left.resume] == [*right.resume]


def moved(weights):
    """All but the bias of keys: softmax cancels it, and Adam makes steps of its rounding errors."""
    biases = {name: value for name, value in weights.items() if name.endswith("in_proj.bias")}
    parts = {name: torch.cat(value.chunk(3)[::2]) for name, value in biases.items()}
    return {**weights, **parts}


@pytest.mark.parametrize("name", ["replicated", "sharded"])
def test_two_processes_make_the_run_of_one_with_the_doubled_batch(runs, alone, name):
    assert_alike(runs / name, alone())


@pytest.mark.parametrize("model", together.SHARDED_TOO)
def test_every_kind_of_model_can_be_spread_over_two_processes(runs, alone, model):
    assert_alike(runs / f"{model}-sharded", alone(model))


def test_batches_that_are_accumulated_by_two_processes_make_the_run_of_one(runs, alone):
    optimisation = together.accumulated()
    assert_alike(runs / "accumulated", alone("bahdanau", optimisation=optimisation))


def test_batches_that_are_accumulated_by_shares_of_a_model_make_the_run_of_one(runs, alone):
    assert_alike(runs / "accumulated-sharded", alone(optimisation=together.accumulated()))


def test_parameters_that_learn_nothing_stay_as_they_are(runs, alone):
    """One-hot weights have no gradient into scores."""
    folder = alone("bahdanau", changes={"normalise": "hard"})
    assert_alike(runs / "idle", folder)


def test_positions_are_drawn_in_each_process_and_what_is_usual_is_kept(runs):
    assert small.last(runs / "hard").resume["learning"]["baseline.value"].item() != 0


@pytest.mark.parametrize(("cut", "whole"), [("cut", "whole"), ("sharded-cut", "sharded")])
def test_a_run_of_two_processes_resumes_bit_for_bit(runs, cut, whole):
    assert small.same(weights(runs / cut), weights(runs / whole))
    assert torch.equal(curve(runs / cut), curve(runs / whole))


def weights(folder):
    found = small.last(folder)
    return found.model, found.resume["learning"], found.resume["optimiser"]["state"]


@pytest.mark.parametrize("name", ["handed-on", "handed-on-sharded"])
def test_one_process_goes_on_with_the_run_of_two(runs, alone, name, tmp_path):
    shutil.copytree(runs / name, tmp_path / "run")
    small.go_on(tmp_path / "run", together.STEPS)
    assert small.last(tmp_path / "run").config.batch.max_tokens == together.TOKENS
    assert_alike(tmp_path / "run", alone())


@pytest.mark.parametrize("name", ["taken-over", "taken-over-sharded"])
def test_two_processes_go_on_with_the_run_of_one(runs, alone, name):
    assert small.last(runs / name).config.batch.max_tokens == together.TOKENS // 2
    assert_alike(runs / name, alone())


def test_a_signal_to_any_process_ends_the_run_in_all(runs):
    output = (runs / "output").read_text()
    assert output.count("ending terminated") == 2
    assert small.last(runs / "interrupted").step == together.HALF


def test_nobody_but_the_first_process_speaks_and_nobody_warns(runs):
    lines = (runs / "output").read_text().splitlines()
    said = [line for line in lines if "compiling kernels" not in line]  # the very first time
    assert " ".join(said).split() == ["ending", "terminated"] * 2
