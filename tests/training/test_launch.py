"""Whole runs: what they leave in their folder, and what they refuse."""

import math
import shutil

import pytest
import torch

from regard.errors import (
    BusyError,
    ChoiceError,
    DamagedError,
    DivergedError,
    InputError,
    StorageError,
)
from regard.models import build
from regard.storage import run_folder
from regard.storage.run_folder import load_model
from regard.tasks.translation import FileData, VocabularyConfig
from regard.tasks.translation.predictor import load_translator
from regard.training.config import Budget, RunConfig
from regard.training.launch import launch, load_origin
from regard.training.run import Observer
from training import small
from training.test_disk_full import tmpfs
from training.tiny_run import flip


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A corpus, and a run of six steps on it."""
    torch.set_num_threads(1)  # it is made before what every test starts from
    folder = tmp_path_factory.mktemp("home")
    data = small.corpus(folder)
    small.start(folder / "run", data, "transformer", budget=Budget(steps=6), average=0.9)
    return folder


@pytest.fixture
def own(home, tmp_path):
    """A run of one's own."""
    return shutil.copytree(home / "run", tmp_path / "run")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_run_leaves_its_last_and_best_checkpoints_and_a_log(home):
    found = names(home / "run")
    assert found[:2] == [".lock", "best-00000006"]
    assert found[2:] == [small.LOG, "step-00000003", "step-00000006"]


def test_the_weights_for_use_are_the_averaged_ones(home):
    config, weights = load_model(home / "run", RunConfig)
    build(config.model).load_state_dict(weights)
    found = small.last(home / "run")
    learned = found.resume["learning"]
    assert "output.proj.weight" in weights  # tied, and so of two names
    for name, _ in build(config.model).named_parameters(remove_duplicate=False):
        assert not torch.equal(weights[name], learned[f"model.{name}"]), name


def test_what_is_kept_translates(home):
    translator = load_translator(home / "run")
    _, weights = load_model(home / "run", RunConfig)
    assert all(torch.equal(translator.model.state_dict()[name], weights[name]) for name in weights)
    assert not translator.model.training
    [found] = translator.translate(["bo da"], aligned=True)
    assert found.source_words == ("bo", "da")
    assert set(found.target_words) <= {*small.WORDS.values(), "<", "unk", ">"}


def test_the_vocabulary_is_that_of_the_checkpoint(own, monkeypatch):
    monkeypatch.setattr(VocabularyConfig, "learn", lambda *_: pytest.fail("it was learned again"))
    assert small.go_on(own, 7) == "steps"
    assert small.last(own).step == 7


def test_every_flipped_byte_is_noticed_and_the_checkpoint_before_it_used(own):
    last = own / "step-00000006"
    (own / "best-00000006").rename(own.parent / "away")
    files = sorted(path for path in last.rglob("*") if path.is_file())
    assert len(files) > 6
    for path in files:
        place = path.stat().st_size // 2
        flip(path, place)
        with (
            run_folder.opened(own) as folder,
            pytest.warns(UserWarning, match=f"{path.name} is damaged.*going on from step-00000003"),
        ):
            assert folder.resume(RunConfig).step == 3
        (own / "damaged-step-00000006").rename(last)
        flip(path, place)
    assert small.last(own).step == 6


def test_a_run_goes_on_from_the_checkpoint_before_a_damaged_one_to_the_same_end(own, home):
    for name in ("best-00000006", "step-00000006"):
        flip(own / name / "model.safetensors", 1000)
    with pytest.warns(UserWarning, match=r"model\.safetensors is damaged"):
        assert small.go_on(own) == "steps"
    assert small.same(small.everything(own), small.everything(home / "run"))


def test_without_a_whole_checkpoint_all_damage_is_named(own):
    for path in own.rglob("resume.json"):
        flip(path, 5)
    with pytest.raises(
        DamagedError, match=r"needs one whole checkpoint.*step-00000003/resume\.json"
    ):
        small.go_on(own)


def test_a_folder_that_holds_a_run_takes_no_new_one(own, home):
    before = small.everything(own)
    with pytest.raises(StorageError, match="holds one at step 6; name another folder, or resume"):
        small.start(own, small.files(home))
    assert small.same(small.everything(own), before)


def test_a_folder_in_use_is_refused(own, home):
    with run_folder.opened(own):
        with pytest.raises(BusyError, match="is in use by process"):
            small.go_on(own)
        with pytest.raises(BusyError, match="is in use by process"):
            small.start(own, small.files(home))


def test_a_run_at_its_end_is_left_as_it_is(own):
    before = names(own)
    small.go_on(own)
    assert names(own) == before


class Beginning(Observer):
    """Keeps the weights before the first step."""

    def started(self, run):
        model = run.processes.own.model
        self.weights = {name: value.clone() for name, value in model.state_dict().items()}


def test_a_new_run_goes_on_from_a_trained_model_with_its_vocabulary(home, tmp_path):
    origin, beginning = load_origin(home / "run"), Beginning()
    data = small.corpus(tmp_path, count=9, seed=5)
    new = small.settings(data, vocabulary=VocabularyConfig(level="characters"), average=0.9)
    changes = {"dropout": 0.5}
    launch(new, origin, tmp_path / "new", changes=changes, observer=beginning)
    config, weights = load_model(home / "run", RunConfig)
    assert all(torch.equal(beginning.weights[name], weights[name]) for name in weights)
    found = small.last(tmp_path / "new").config
    assert found.model == config.model.model_copy(update=changes)
    assert found.task.vocabulary == config.task.vocabulary
    old, kept = load_translator(home / "run"), load_translator(tmp_path / "new")
    assert kept.vocabularies.target.ids(["ti", "zo"]) == old.vocabularies.target.ids(["ti", "zo"])


def test_the_weights_of_another_model_are_refused(home, tmp_path):
    settings = small.settings(small.files(home))
    with pytest.raises(ChoiceError, match="change only what has no weights"):
        launch(settings, load_origin(home / "run"), tmp_path / "new", changes={"hidden_dim": 5})


def test_a_folder_without_a_run_cannot_be_resumed(tmp_path):
    with pytest.raises(StorageError, match="has no checkpoint"):
        small.go_on(tmp_path / "new")


def test_data_that_changed_since_is_refused(tmp_path):
    data = small.corpus(tmp_path, count=20)
    small.start(tmp_path / "run", data, budget=Budget(steps=1))
    before = small.everything(tmp_path / "run")
    text = (tmp_path / "train.tsv").read_text()
    (tmp_path / "train.tsv").write_text(text.replace("\tti", "\tru", 1))
    with pytest.raises(InputError, match=r"was saved with data 'corpus .* but now it is 'corpus"):
        small.go_on(tmp_path / "run", 2)
    (tmp_path / "train.tsv").unlink()
    with pytest.raises(InputError, match=r"train\.tsv: cannot be read, No such file"):
        small.go_on(tmp_path / "run", 2)
    (tmp_path / "train.tsv").write_text(text)
    assert small.same(small.everything(tmp_path / "run"), before)
    assert small.go_on(tmp_path / "run", 2) == "steps"


def test_a_misspelt_model_is_told_before_anything_is_read_or_made(tmp_path):
    data = FileData(train=(str(tmp_path / "none.tsv"),))
    with pytest.raises(ChoiceError, match="Did you mean 'bahdanau-small'"):
        small.launch(small.settings(data), "bahdanau-smal", tmp_path / "run")
    assert names(tmp_path) == []


def test_bad_data_leaves_a_folder_that_can_be_used(tmp_path, home):
    (tmp_path / "bad.tsv").write_text("bo da\tru ti\nfe\n")
    with pytest.raises(InputError, match=r"bad\.tsv, line 2: needs 2 columns"):
        small.start(tmp_path / "run", FileData(train=(str(tmp_path / "bad.tsv"),)))
    assert small.start(tmp_path / "run", small.files(home), budget=Budget(steps=1)) == "steps"


class Spoiler(Observer):
    """Makes a weight no number, or takes the room on the disk, after a step."""

    def __init__(self, step, spoil):
        self.step = step
        self.spoil = spoil

    def updated(self, run, update):
        if run.progress.step == self.step:
            self.spoil(run)


def test_a_run_that_diverges_stops_before_the_step_and_resumes_from_before(home, tmp_path):
    @torch.no_grad()
    def spoil(run):
        next(run.processes.own.parameters()).fill_(math.nan)

    chosen = {"budget": Budget(steps=6), "average": 0.9}
    with pytest.raises(
        DivergedError, match="step 6 needs a finite loss, but it is nan on the batch"
    ):
        small.start(
            tmp_path / "run", small.files(home), "transformer", observer=Spoiler(5, spoil), **chosen
        )
    assert small.last(tmp_path / "run").step == 4
    assert small.go_on(tmp_path / "run") == "steps"
    assert small.same(small.everything(tmp_path / "run"), small.everything(home / "run"))


@pytest.mark.parametrize("room", [0, 20_000])
def test_on_a_full_disk_the_checkpoint_before_stays_and_the_run_goes_on_later(home, tmp_path, room):
    disk = tmp_path / "disk"

    def spoil(run):
        free = shutil.disk_usage(disk).free
        (disk / "filler").write_bytes(b"x" * (free - room))

    with tmpfs(disk, "2m"):
        chosen = {"budget": Budget(steps=6), "average": 0.9}
        with pytest.raises(
            StorageError, match=r"cannot be written, No space left on device; .*make"
        ):
            small.start(
                disk / "run", small.files(home), "transformer", observer=Spoiler(4, spoil), **chosen
            )
        assert small.last(disk / "run").step == 3
        (disk / "filler").unlink()
        assert small.go_on(disk / "run") == "steps"
        assert small.same(small.everything(disk / "run"), small.everything(home / "run"))


def test_the_second_signal_ends_a_run_at_once_without_a_checkpoint(home, tmp_path):
    twice = small.Interrupter(5, times=2)
    chosen = {"budget": Budget(steps=6), "average": 0.9}
    with pytest.raises(KeyboardInterrupt):
        small.start(tmp_path / "run", small.files(home), "transformer", observer=twice, **chosen)
    assert small.last(tmp_path / "run").step == 4
    assert small.go_on(tmp_path / "run") == "steps"
    assert small.same(small.everything(tmp_path / "run"), small.everything(home / "run"))


def test_every_setting_comes_back_from_its_file(home):
    config = small.last(home / "run").config
    again = RunConfig.model_validate_json(config.model_dump_json())
    assert again == config
    assert type(again.model) is type(config.model)
    assert again.model.model_dim == 8
