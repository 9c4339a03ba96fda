"""The battery of tasks: every task of ours passes it, and every check can fail and says why."""

import sys

import pytest

from regard.errors import CheckError, ChoiceError, InputError
from regard.models import kinds, presets
from regard.task_registry import TASKS
from regard.testing import TASK_CHECKS, check_task, examine_task

KNOWN = tuple(TASKS)


@pytest.fixture(scope="module")
def cases():
    """Of every task; the toy is known while these tests run, and to no others."""
    TASKS.add("sorting", "tasks.toy")
    from testing import small_tasks

    yield small_tasks
    for registry, name in ((TASKS, "sorting"), (kinds, "sorter"), (presets, "sorter-tiny")):
        registry.forget(name)
    for name in [name for name in sys.modules if name.startswith("tasks.toy.")]:
        del sys.modules[name]
    del sys.modules["testing.small_tasks"]


@pytest.mark.parametrize("kind", [*KNOWN, "sorting"])
def test_every_task_passes_the_battery(cases, kind, tmp_path, monkeypatch, without_shape_checks):
    assert kind in cases.CASES, "a new task needs a case in small_tasks.py"
    for module in cases.POOLS:
        monkeypatch.setattr(f"regard.{module}.POOL", 32)
    left_out = cases.NOT_BY_PARTS.get(kind, ())
    case = cases.CASES[kind](tmp_path)
    report = check_task(**case, only=[name for name in TASK_CHECKS if name not in left_out])
    skipped = [result.name for result in report if result.verdict == "skipped"]
    assert skipped == (["bad_data"] if kind == "sorting" else [])


@pytest.fixture
def broken(cases, tmp_path, monkeypatch, without_shape_checks):
    """What the battery says of the toy with some attributes of its classes changed."""

    def report(check, owner, **changes):
        for name, value in changes.items():
            monkeypatch.setattr(owner, name, value)
        return examine_task(**cases.CASES["sorting"](tmp_path), only=check)[check]

    return report


def parts(cases):
    from tasks.toy import predictor, task

    return predictor, task


def assert_fails(result, why):
    assert result.verdict == "failed" and why in result.why, result


def test_a_codec_that_does_not_come_back_fails(cases, broken):
    predictor, _ = parts(cases)
    forgets = staticmethod(lambda files, folder: predictor.Digits("01"))
    found = broken("codec", predictor.Sorting, codec_from=forgets)
    assert_fails(found, "codec_from(codec.files()) is another codec")


def test_a_published_path_fails(cases, broken):
    _, task = parts(cases)
    told = lambda self: self.model_copy(update={"kind": "/home/somebody"})  # noqa: E731
    found = broken("settings", task.SortingTask, published=told)
    assert_fails(found, "published() leaves the path '/home/somebody'")


def test_targets_that_every_process_counts_for_itself_fail(cases, broken):
    _, task = parts(cases)
    usual = task.Lists.batch

    def counted(self, rows, *, indices, num_targets):
        return usual(self, rows, indices=indices, num_targets=sum(indices))

    assert_fails(broken("batches", task.Lists, batch=counted), "num_targets needs to count")


def test_a_loss_that_is_a_mean_fails(cases, broken):
    _, task = parts(cases)
    usual = task.SortingObjective.forward

    def mean(self, batch):
        total, found = usual(self, batch)
        return task.Loss(total / max(1, len(batch.digits)), found)

    found = broken("loss", task.SortingObjective, forward=mean)
    assert_fails(found, "the loss of a batch in two parts adds up to")


def test_a_validator_that_leaves_the_model_at_eval_fails(cases, broken):
    _, task = parts(cases)
    usual = task.Judge.validate
    found = broken("validation", task.Judge, validate=lambda self, m: usual(self, m.eval()))
    assert_fails(found, "validate() needs to leave the model as it was")


def test_a_score_without_its_measure_fails(cases, broken):
    _, task = parts(cases)
    found = broken("validation", task.Judge, validate=lambda self, m: task.Validation({"x": 1.0}))
    assert_fails(found, "validate() scores x, and needs 'sorted'")


def test_an_identity_that_changes_fails(cases, broken):
    _, task = parts(cases)
    found = broken("validation", task.Judge, identity=property(lambda self: str(id(self))))
    assert_fails(found, "two validators of the same data have another identity")


def test_a_sample_that_is_no_json_fails(cases, broken):
    predictor, _ = parts(cases)
    found = broken("prediction", predictor.Sorted, to_json=lambda self: {"score": float("nan")})
    assert_fails(found, "to_json() of a sample is no JSON")


def test_an_input_without_a_sample_fails(cases, broken):
    predictor, _ = parts(cases)
    usual = predictor.Sorting.predict
    fewer = lambda self, inputs, looks=False: usual(self, list(inputs)[:1])  # noqa: E731
    assert_fails(broken("prediction", predictor.Sorting, predict=fewer), "2 inputs have 1 samples")


def test_chance_that_no_checkpoint_keeps_fails(cases, broken):
    _, task = parts(cases)
    usual, times = task.SortingObjective.forward, []

    def drifting(self, batch):
        times.append(1)
        total, found = usual(self, batch)
        return task.Loss(total * (1 + len(times)), found)

    found = broken("resumption", task.SortingObjective, forward=drifting)
    assert_fails(found, "killed and resumed, it ends with other weights")


def test_examples_drawn_by_each_process_fail(cases, broken):
    _, task = parts(cases)
    usual = task.SortingObjective.forward

    def uneven(self, batch):
        total, found = usual(self, batch)
        return task.Loss(total * len(batch.digits), found)

    found = broken("processes", task.SortingObjective, forward=uneven)
    assert_fails(found, "two processes and of one with the doubled batch differ by")


def test_flawed_data_that_is_taken_fails(cases, tmp_path, without_shape_checks):
    case = cases.CASES["sorting"](tmp_path)
    flawed = [case["settings"].task]
    with pytest.raises(CheckError, match=r"'bad_data': flawed data was taken without a word"):
        check_task(**case, flawed=flawed, only=["bad_data"])


def test_one_input_has_no_order(cases, tmp_path):
    case = cases.CASES["sorting"](tmp_path)
    with pytest.raises(InputError, match="needs two inputs at least, to see their order, got 1"):
        check_task(**case | {"inputs": case["inputs"][:1]}, only=["prediction"])


def test_unknown_checks_are_refused(cases, tmp_path):
    with pytest.raises(ChoiceError, match="unknown check 'colour'"):
        check_task(**cases.CASES["sorting"](tmp_path), only=["colour"])
