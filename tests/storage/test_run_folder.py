import os
import shutil

import pytest

from regard.errors import BusyError, DamagedError, StorageError
from regard.storage import checkpoint, manifest, run_folder
from regard.storage.run_folder import load_model
from training.tiny_run import TinyConfig, advanced, digest, flip, weights_after


def names(path):
    return sorted(one.name for one in path.iterdir() if not one.name.startswith(".lock"))


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A run of three steps, each saved, the first one as the best."""
    path = tmp_path_factory.mktemp("runs") / "run"
    with run_folder.opened(path) as folder:
        folder.save_best(advanced(1).checkpoint())
        for steps in (1, 2, 3):
            folder.save(advanced(steps).checkpoint())
    return path


@pytest.fixture
def run(three, tmp_path):
    return shutil.copytree(three, tmp_path / "run")


def damage(folder, name="model.safetensors"):
    flip(folder / name, (folder / name).stat().st_size - 1)


def test_the_last_two_and_the_best_are_kept(three):
    assert names(three) == ["best-00000001", "step-00000002", "step-00000003"]


def test_a_new_best_takes_the_place_of_the_one_before(run):
    with run_folder.opened(run) as folder:
        folder.save_best(advanced(4).checkpoint())
    assert names(run) == ["best-00000004", "step-00000002", "step-00000003"]


def test_as_many_as_asked_for_are_kept(tmp_path):
    with run_folder.opened(tmp_path / "run", keep=1) as folder:
        for steps in (1, 2):
            folder.save(advanced(steps).checkpoint())
    assert names(tmp_path / "run") == ["step-00000002"]


def test_old_ones_go_only_after_the_new_one_is_in_its_place(run, monkeypatch):
    seen = []
    original = run_folder.discard

    def watched(path):
        seen.append(names(run))
        original(path)

    monkeypatch.setattr(run_folder, "discard", watched)
    with run_folder.opened(run) as folder:
        folder.save(advanced(4).checkpoint())
    assert seen == [["best-00000001", "step-00000002", "step-00000003", "step-00000004"]]


def test_old_ones_that_cannot_be_deleted_are_a_warning(run, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(run_folder, "discard", refuse)
    with run_folder.opened(run) as folder, pytest.warns(UserWarning, match="cannot be deleted"):
        folder.save(advanced(4).checkpoint())
    assert "step-00000004" in names(run)


def test_resuming_takes_the_last_one(run):
    with run_folder.opened(run) as folder:
        assert folder.steps == [1, 2, 3]
        found = folder.resume(TinyConfig)
    assert (found.step, found.folder, found.config) == (3, run / "step-00000003", TinyConfig())
    assert digest(found.model) == weights_after(3)


def test_steps_are_ordered_as_numbers(tmp_path):
    for name in ("step-99999999", "step-100000000", "step-00000007"):
        (tmp_path / name).mkdir()
    assert [place.step for place in run_folder.places(tmp_path, "step")] == [7, 99999999, 10**8]


def test_a_damaged_one_is_passed_over_with_a_warning_and_set_aside(run):
    damage(run / "step-00000003")
    said = r"step-00000003/model\.safetensors is damaged: .*; going on from step-00000002"
    with run_folder.opened(run) as folder, pytest.warns(UserWarning, match=said):
        assert folder.resume(TinyConfig).step == 2
    assert "damaged-step-00000003" in names(run)
    with run_folder.opened(run) as folder:
        assert folder.resume(TinyConfig).step == 2
        folder.save(advanced(3).checkpoint())
        assert folder.resume(TinyConfig).step == 3


def test_a_second_damaged_one_of_a_name_is_set_aside_too(run):
    for _ in range(2):
        damage(run / "step-00000003")
        with run_folder.opened(run) as folder, pytest.warns(UserWarning, match="going on from"):
            folder.resume(TinyConfig)
            folder.save(advanced(3).checkpoint())
    assert {"damaged-step-00000003", "damaged-step-00000003-2"} < set(names(run))


def test_the_best_one_is_the_last_resort(run):
    (run / "step-00000003/manifest.json").unlink()
    damage(run / "step-00000002", "resume.json")
    with run_folder.opened(run) as folder, pytest.warns(UserWarning) as warned:
        assert folder.resume(TinyConfig).step == 1
    said = [str(one.message) for one in warned]
    assert len(said) == 2
    assert "step-00000003/manifest.json is damaged: it is missing" in said[0]
    assert "step-00000002/resume.json is damaged" in said[1]


def test_with_none_whole_nothing_is_touched_and_every_damage_named(run):
    for name in names(run):
        damage(run / name)
    before = names(run)
    with run_folder.opened(run) as folder, pytest.raises(DamagedError) as caught:
        folder.resume(TinyConfig)
    assert str(caught.value).startswith(f"{run} needs one whole checkpoint to resume from")
    assert all(name in str(caught.value) for name in before)
    assert names(run) == before


def test_a_checkpoint_of_a_newer_regard_is_not_passed_over(run, monkeypatch):
    monkeypatch.setattr(manifest, "FORMAT", 2)
    with run_folder.opened(run) as folder, pytest.raises(StorageError, match="of format 1, and"):
        folder.resume(TinyConfig)
    assert len(names(run)) == 3


def test_a_folder_without_a_checkpoint_cannot_be_resumed(tmp_path):
    with run_folder.opened(tmp_path / "run") as folder:
        assert folder.steps == []
        with pytest.raises(StorageError, match="run has no checkpoint; name the folder of a run"):
            folder.resume(TinyConfig)


def test_a_step_saved_twice_is_there_whole_at_every_moment(run):
    again = advanced(5).checkpoint()
    with run_folder.opened(run) as folder:
        saved = folder.save(type(again)(3, again.config, again.model, again.resume))
        assert saved.name == "step-00000003.1"
        assert digest(folder.resume(TinyConfig).model) == weights_after(5)
    assert names(run) == ["best-00000001", "step-00000003", "step-00000003.1"]


def test_what_dead_writers_left_is_swept_and_nothing_else(run):
    (run / ".draft-step-00000004-abcd/sub").mkdir(parents=True)
    (run / ".draft-step-00000004-abcd/sub/half").write_bytes(b"x")
    (run / "notes.txt").write_text("mine")
    before = names(run)
    with run_folder.opened(run):
        assert names(run) == [name for name in before if not name.startswith(".draft-")]


def test_the_model_for_use_is_the_best_one_or_else_the_last(run):
    assert digest(load_model(run, TinyConfig)[1]) == weights_after(1)
    shutil.rmtree(run / "best-00000001")
    assert digest(load_model(run, TinyConfig)[1]) == weights_after(3)
    assert digest(load_model(run / "step-00000002", TinyConfig)[1]) == weights_after(2)


def test_a_model_for_use_can_be_a_checkpoint_of_any_name(run, tmp_path):
    folder = shutil.copytree(run / "step-00000002", tmp_path / "translator")
    assert digest(load_model(folder, TinyConfig)[1]) == weights_after(2)


def test_a_damaged_model_is_not_silently_replaced_by_another(run):
    damage(run / "best-00000001")
    with pytest.raises(DamagedError, match=r"best-00000001/model\.safetensors is damaged"):
        load_model(run, TinyConfig)


@pytest.mark.parametrize("name", ["nowhere", "step-00000009"])
def test_a_model_that_is_not_there_is_refused(tmp_path, name):
    with pytest.raises(StorageError, match=name):
        load_model(tmp_path / name, TinyConfig)


def test_a_reader_beside_a_run_looks_again_when_its_checkpoint_is_replaced(run, monkeypatch):
    original = checkpoint.load
    calls = []

    def late(folder, config):
        if not calls:  # between the reader's choice and its reading, the run goes on
            with run_folder.opened(run) as writer:
                writer.save_best(advanced(6).checkpoint())
        calls.append(folder.name)
        return original(folder, config)

    monkeypatch.setattr(checkpoint, "load", late)
    assert digest(load_model(run, TinyConfig)[1]) == weights_after(6)
    assert calls == ["best-00000001", "best-00000006"]


def test_two_runs_in_one_folder_are_one_too_many(run):
    with run_folder.opened(run), pytest.raises(BusyError), run_folder.opened(run):
        pass


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "run").write_text("x")
    said = "run needs to be a folder that can be written to, and is not, File exists"
    with pytest.raises(StorageError, match=said), run_folder.opened(tmp_path / "run"):
        pass


@pytest.mark.parametrize("error", [None, KeyError])
def test_a_folder_that_was_made_and_stayed_empty_is_removed_with_those_around_it(tmp_path, error):
    try:
        with run_folder.opened(tmp_path / "runs" / "mine"):
            assert names(tmp_path / "runs") == ["mine"]
            if error:
                raise error
    except KeyError:
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_there_or_holds_something_stays(tmp_path):
    (tmp_path / "there").mkdir()
    with run_folder.opened(tmp_path / "there"):
        pass
    with run_folder.opened(tmp_path / "new"):
        (tmp_path / "new" / "log.jsonl").write_text("{}")
    assert names(tmp_path) == ["new", "there"]


def test_a_lock_that_was_removed_with_its_folder_is_none(tmp_path):
    with run_folder.opened(tmp_path / "run") as first:
        number = os.open(first.path / ".lock", os.O_RDWR)  # of one who came just before the end
    try:
        with run_folder.opened(tmp_path / "run") as second:
            assert not os.path.samestat(os.fstat(number), (second.path / ".lock").stat())
            with pytest.raises(BusyError), run_folder.opened(tmp_path / "run"):
                pass
    finally:
        os.close(number)


def test_a_path_may_be_text(run):
    with run_folder.opened(str(run)) as folder:
        assert folder.resume(TinyConfig).step == 3
    assert load_model(str(run), TinyConfig)[0] == TinyConfig()
