"""Runs that go on: with more steps, from elsewhere, from another model; and what is refused."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from regard.errors import ChoiceError, InputError, StorageError
from regard.tasks.translation import FileData
from regard.tasks.translation.predictor import load_translator
from regard.training import log
from regard.training.config import Budget
from regard.training.launch import launch, load_origin, relaunch
from regard.training.run import Run
from regard.training.schedules import Linear
from regard.training.settings import OptimisationConfig
from regard.zoo.packing import pack
from training import small

PLANNED = {"optimisation": OptimisationConfig(rate=0.01, schedule=Linear(steps=6, warmup=1))}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A corpus, and a run on it that was interrupted after half of its schedule."""
    folder = tmp_path_factory.mktemp("home")
    small.corpus(folder)
    begun = small.Interrupter(3)
    small.start(
        folder / "run",
        small.files(folder),
        observer=begun,
        budget=Budget(steps=6),
        **PLANNED,
    )
    return folder


@pytest.fixture
def own(home, tmp_path):
    """A run of one's own, and its corpus."""
    for path in home.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    return shutil.copytree(home / "run", tmp_path / "run")


def rates(folder):
    return {line["step"]: line["rate"] for line in log.read(folder / small.LOG) if "rate" in line}


def test_more_steps_are_learned_from_and_none_at_rate_zero_but_the_last(own):
    assert small.go_on(own, 12) == "steps"
    found = rates(own)
    line = [0.01 * (12 - step) / 11 for step in range(4, 13)]
    assert [found[step] for step in range(4, 13)] == pytest.approx(line)
    weights = small.last(own).model
    with pytest.raises(ChoiceError, match=r"after step 12 its rate is zero.*--init-from"):
        small.go_on(own, 24)
    assert small.same(small.last(own).model, weights)


def test_a_run_goes_on_from_any_folder_though_its_files_were_named_from_one(
    own, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    named = FileData(train="train.tsv", valid=Path("valid.tsv"), alignments="train.links")
    preset, sizes = small.MODELS["plain"]
    chosen = small.settings(named, budget=Budget(steps=1))
    assert launch(chosen, preset, "new", changes=sizes) == "steps"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert relaunch("../new", budget=Budget(steps=2)) == "steps"
    assert load_translator("../new").vocabularies.target.ids(["ti"]) != [1]


def test_other_sentences_to_validate_on_are_noticed(own):
    path = own.parent / "valid.tsv"
    text = path.read_text()
    data = small.last(own).config.task.data
    assert data.valid[0] != str(path)
    path.write_text(text.replace("\t", "\tzo ", 1))
    mine = small.files(own.parent)
    small.start(own.parent / "new", mine, budget=Budget(steps=1))
    path.write_text(text)
    with pytest.raises(InputError, match=r"validated on other examples .*bring them back"):
        small.go_on(own.parent / "new", 2)
    path.write_text(text.replace("\t", "\tzo ", 1))
    assert small.go_on(own.parent / "new", 2) == "steps"


def test_a_checkpoint_that_does_not_say_what_it_was_validated_on_is_gone_on_with():
    """As those of older versions."""
    run = Run.__new__(Run)
    run.validator = SimpleNamespace(identity="these")
    run._require_same_validation(None)
    run._require_same_validation("these")
    with pytest.raises(InputError, match="other examples"):
        run._require_same_validation("those")


def test_a_run_that_cannot_begin_leaves_nothing(own, tmp_path):
    before = {path.name for path in tmp_path.iterdir()}
    (tmp_path / "bad.tsv").write_text("bo da\tru ti\nfe\n")
    preset, sizes = small.MODELS["plain"]
    usual = small.settings(small.files(tmp_path))
    cases = {
        InputError: small.settings(FileData(train=tmp_path / "bad.tsv")),
        ChoiceError: usual.model_copy(update={"average": float("nan")}),
    }
    for error, settings in cases.items():
        with pytest.raises(error):
            launch(settings, preset, tmp_path / "runs" / "new", changes=sizes)
    with pytest.raises(StorageError, match="typo has no checkpoint"):
        relaunch(tmp_path / "typo")
    (tmp_path / "mine").mkdir()
    with pytest.raises(StorageError, match="mine has no checkpoint"):
        relaunch(tmp_path / "mine")
    assert list((tmp_path / "mine").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} - before == {"bad.tsv", "mine"}


def test_what_a_model_began_with_is_known_and_on_its_card(own, tmp_path):
    packed = pack(own, tmp_path / "first", sentences=0).folder
    card = (packed / "CARD.md").read_text()
    (packed / "CARD.md").write_text(card.replace("| not stated |", "| CC BY 4.0 \\| mine |", 2))
    chosen = small.settings(small.files(tmp_path), budget=Budget(steps=1))
    for name, origin in (("second", packed), ("third", tmp_path / "second")):
        launch(chosen, load_origin(origin), tmp_path / name)
    third = small.last(tmp_path / "third").config.ancestor
    second = third.ancestor
    assert third.name.startswith("second/")
    assert (second.name, second.licence) == ("first", r"CC BY 4.0 \| mine")
    assert len(second.sha256) == 64
    said = (pack(tmp_path / "third", tmp_path / "last", sentences=0).folder / "CARD.md").read_text()
    assert "licence of its weights: CC BY 4.0" in said
    assert second.sha256 in said
    assert "\n## The card of first\n\n> # first\n" in said
    assert said.count("> # first\n") == 1
    assert "those of the training since" in said


def test_a_model_that_computes_not_in_its_precision_is_told_before_it_trains(
    own, tmp_path, monkeypatch
):
    def unable(*_, **__):
        raise RuntimeError("could not create a primitive\nwith 30 lines")

    chosen = small.settings(
        small.files(tmp_path), optimisation=OptimisationConfig(precision="bfloat16")
    )
    preset, sizes = small.MODELS["plain"]
    monkeypatch.setattr("regard.tasks.translation.objective.TranslationObjective.forward", unable)
    with pytest.raises(ChoiceError, match=r"compute in bfloat16 on cpu \(could not .* primitive\)"):
        launch(chosen, preset, tmp_path / "new", changes=sizes)
    assert not (tmp_path / "new").exists()


def test_trying_a_precision_out_changes_nothing(own, tmp_path):
    seen = []

    class Beginning(small.Observer):
        def started(self, run):
            run.updater.try_out()
            seen.append({k: v.clone() for k, v in run.updater.state_dict()["objective"].items()})
            seen.append(torch.is_grad_enabled())

    for precision in ("float32", "bfloat16"):
        chosen = OptimisationConfig(precision=precision)
        small.start(
            tmp_path / precision,
            small.files(tmp_path),
            observer=Beginning(),
            optimisation=chosen,
            budget=Budget(steps=1),
        )
    assert small.same(seen[0], seen[2])
    assert seen[1] and seen[3]
