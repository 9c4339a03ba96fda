import json
import math
import os
import shutil

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from safetensors.torch import load_file

from regard.config import Config
from regard.errors import ChoiceError, DamagedError, DtypeError, InputError, StorageError
from regard.storage import checkpoint, manifest, quantised
from regard.storage.checkpoint import Checkpoint
from training.tiny_run import TOKENIZER, TinyConfig, TinyRun, advanced, digest, flip, weights_after

FILES = {
    "config.json",
    "manifest.json",
    "model.safetensors",
    "resume.json",
    "resume.safetensors",
    "tokenizer/words.txt",
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A checkpoint after three updates."""
    folder = tmp_path_factory.mktemp("run") / "step-00000003"
    checkpoint.write(advanced(3).checkpoint(), folder)
    return folder


def test_a_checkpoint_is_these_files(saved):
    found = {path.relative_to(saved).as_posix() for path in saved.rglob("*") if path.is_file()}
    assert found == FILES
    assert (saved / "tokenizer/words.txt").read_bytes() == TOKENIZER


def test_nothing_else_is_left_beside_it(saved):
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_the_model_comes_back_for_use(saved):
    config, state_dict = checkpoint.load(saved, TinyConfig)
    assert config == TinyConfig()
    assert digest(state_dict) == weights_after(3)


def test_other_tools_read_config_and_weights(saved):
    assert json.loads((saved / "config.json").read_text()) == {"width": 5, "hidden": 7}
    assert set(load_file(saved / "model.safetensors")) == set(TinyRun().model.state_dict())


def test_a_resumed_run_ends_with_the_weights_of_an_uninterrupted_one(saved):
    run = TinyRun()
    run.restore(checkpoint.load_to_resume(saved, TinyConfig))
    assert run.step == 3
    for _ in range(4):
        run.update()
    assert run.digest() == weights_after(7)


def test_a_run_without_one_of_its_states_ends_elsewhere(saved):
    """The test above can fail: every part of the state matters."""
    for left_out in ("optimizer", "scheduler", "data"):
        found = checkpoint.load_to_resume(saved, TinyConfig)
        run = TinyRun()
        fresh = run.checkpoint().resume[left_out]
        found.resume[left_out] = fresh
        run.restore(found)
        for _ in range(4):
            run.update()
        assert run.digest() != weights_after(7), left_out


@settings(max_examples=60)
@given(st.sampled_from(sorted(FILES)), st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_one_changed_byte_anywhere_is_noticed_and_its_file_named(saved, name, place, bits):
    path = saved / name
    at = int(place * path.stat().st_size)
    flip(path, at, bits)
    try:
        for load in (checkpoint.load, checkpoint.load_to_resume):
            with pytest.raises(DamagedError) as caught:
                load(saved, TinyConfig)
            assert str(caught.value).startswith(f"{path} is damaged: ")
    finally:
        flip(path, at, bits)
    checkpoint.load(saved, TinyConfig)


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("damage", ["missing", "short", "long", "empty"])
def test_a_missing_cut_or_longer_file_is_noticed_and_named(saved, tmp_path, name, damage):
    folder = shutil.copytree(saved, tmp_path / "copy")
    path = folder / name
    data = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes({"short": data[:-1], "long": data + b"\n", "empty": b""}[damage])
    with pytest.raises(DamagedError) as caught:
        checkpoint.load(folder, TinyConfig)
    assert str(caught.value).startswith(f"{path} is damaged: ")


def test_a_moved_checkpoint_loads(saved, tmp_path):
    folder = shutil.copytree(saved, tmp_path / "a model")
    assert checkpoint.load(folder, TinyConfig)[0] == TinyConfig()


def test_a_format_of_the_future_is_refused_and_not_called_damaged(saved, tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "FORMAT", 9)
    folder = tmp_path / "step-00000001"
    content = manifest.Manifest(format=9, files={}).model_dump()
    folder.mkdir()
    (folder / "manifest.json").write_bytes(manifest._to_bytes(content))
    monkeypatch.setattr(manifest, "FORMAT", 1)
    with pytest.raises(StorageError, match="of format 9, and this one reads format 1") as caught:
        checkpoint.load(folder, TinyConfig)
    assert not isinstance(caught.value, DamagedError)


class Other(Config):
    width: str
    depth: int


def test_another_configuration_is_refused_with_every_problem(saved):
    with pytest.raises(StorageError, match=r"config\.json needs to be a Other") as caught:
        checkpoint.load(saved, Other)
    assert all(name in str(caught.value) for name in ("width", "depth", "hidden"))
    assert "\n" not in str(caught.value)


class Rate(BaseModel):
    rate: float


class Part(BaseModel):
    size: int = 2


class Larger(Part):
    more: int = 3


class Whole(Config):
    part: Part


@pytest.mark.parametrize("config", [Rate(rate=math.inf), Whole(part=Larger())])
def test_a_configuration_that_would_not_come_back_is_refused_when_it_is_saved(config, tmp_path):
    with pytest.raises(StorageError, match="needs a configuration that comes back from JSON"):
        checkpoint.write(Checkpoint(step=1, config=config, model={}), tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def attach(tmp_path, **attachments):
    bare = Checkpoint(step=2, config=TinyConfig(), model={}, **attachments)
    checkpoint.write(bare, tmp_path / "x")
    checkpoint.load(tmp_path / "x", TinyConfig)
    return tmp_path / "x"


def test_attachments_are_bytes_files_or_functions_that_write(tmp_path):
    source = tmp_path / "words.model"
    source.write_bytes(b"\x00\xff")
    folder = attach(
        tmp_path,
        attachments={
            "a": b"one",
            "sub/b": source,
            "c": lambda path: path.write_text("three"),
        },
    )
    assert (folder / "a").read_bytes() == b"one"
    assert (folder / "sub/b").read_bytes() == b"\x00\xff"
    assert (folder / "c").read_text() == "three"
    assert {"a", "sub/b", "c"} < set(manifest.verify(folder).files)


@pytest.mark.parametrize("name", ["config.json", "manifest.json", "../x", "/x", "", "a/../../x"])
def test_an_attachment_cannot_take_a_name_that_is_not_its_own(tmp_path, name):
    with pytest.raises(ChoiceError, match="needs a name inside its folder that is not taken"):
        attach(tmp_path, attachments={name: b"one"})
    assert list(tmp_path.iterdir()) == []


def test_an_attachment_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"needs \S+lost\.model to copy, and it cannot be read"):
        attach(tmp_path, attachments={"a": tmp_path / "lost.model"})
    assert list(tmp_path.iterdir()) == []


def test_a_state_that_cannot_be_stored_leaves_nothing(tmp_path):
    with pytest.raises(DtypeError, match=r"at state\.data\.reader; convert it"):
        attach(tmp_path, resume={"data": {"reader": object()}})
    with pytest.raises(DtypeError, match="got 'w' with"):
        sparse = {"w": torch.eye(2).to_sparse()}
        checkpoint.write(Checkpoint(1, TinyConfig(), sparse), tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_taken_name_is_not_overwritten(saved):
    before = (saved / "manifest.json").read_bytes()
    with pytest.raises(StorageError, match="cannot be written, Directory not empty"):
        checkpoint.write(advanced(1).checkpoint(), saved)
    assert (saved / "manifest.json").read_bytes() == before


def replace(path, kind):
    """Put something else in the place of a file."""
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(kind)


@pytest.mark.parametrize("kind", ["pipe", "folder", "/dev/zero", "nowhere"])
@pytest.mark.parametrize("name", sorted(FILES))
def test_what_is_no_file_is_neither_waited_for_nor_read_for_ever(saved, tmp_path, name, kind):
    folder = shutil.copytree(saved, tmp_path / "copy")
    replace(folder / name, kind)
    for load in (checkpoint.load, checkpoint.load_to_resume):
        with pytest.raises(DamagedError) as caught:
            load(folder, TinyConfig)
        assert str(caught.value).startswith(f"{folder / name} is damaged: ")


def test_files_may_be_links_to_files_as_some_installers_make_them(saved, tmp_path):
    folder = shutil.copytree(saved, tmp_path / "copy")
    for name in FILES:
        replace(folder / name, saved / name)
    assert digest(checkpoint.load(folder, TinyConfig)[1]) == weights_after(3)


def test_a_file_of_another_size_is_not_read(saved, tmp_path):
    folder = shutil.copytree(saved, tmp_path / "copy")
    for name in ("model.safetensors", "manifest.json"):  # holes: they take no room on the disk
        os.truncate(folder / name, 10**12)
        with pytest.raises(DamagedError, match=rf"{name} is damaged"):
            checkpoint.load(folder, TinyConfig)


@pytest.mark.parametrize("data", [b"{", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_state_that_was_never_one_is_refused_whatever_its_digest(saved, tmp_path, data):
    folder = shutil.copytree(saved, tmp_path / "copy")
    (folder / "resume.json").write_bytes(data)
    (folder / "manifest.json").unlink()
    manifest.seal(folder)
    with pytest.raises(DamagedError, match=r"resume\.json is damaged: it is no state of a run"):
        checkpoint.load_to_resume(folder, TinyConfig)


@pytest.mark.parametrize("name", ["../secret", "/secret", "a\0b"])
def test_a_manifest_that_points_outside_is_refused(saved, tmp_path, name):
    secret = tmp_path / "secret"
    secret.write_bytes(b"s")
    folder = shutil.copytree(saved, tmp_path / "copy")
    files = {**manifest.read(folder).files, name: manifest._entry(secret)}
    content = manifest.Manifest(files=files).model_dump()
    (folder / "manifest.json").write_bytes(manifest._to_bytes(content))
    with pytest.raises(DamagedError, match="names files outside its folder"):
        checkpoint.load(folder, TinyConfig)


def for_use(**changes):
    """A checkpoint that is to be used and not gone on with."""
    usual = {"config": TinyConfig(), "model": {"w": torch.ones(2)}}
    return Checkpoint(step=3, resume=None, **{**usual, **changes})


def test_a_model_to_be_used_has_no_files_to_go_on_with(tmp_path):
    checkpoint.write(for_use(), tmp_path / "model")
    found = {path.name for path in (tmp_path / "model").iterdir()}
    assert found == {"config.json", "manifest.json", "model.safetensors"}
    config, weights = checkpoint.load(tmp_path / "model", TinyConfig)
    assert config == TinyConfig()
    assert weights["w"].tolist() == [1, 1]


def test_a_model_to_be_used_cannot_be_gone_on_with(tmp_path):
    checkpoint.write(for_use(), tmp_path / "model")
    with pytest.raises(StorageError, match="nothing to go on with") as caught:
        checkpoint.load_to_resume(tmp_path / "model", TinyConfig)
    assert not isinstance(caught.value, DamagedError)


def test_notes_may_be_changed_and_attachments_may_not(tmp_path):
    folder = tmp_path / "model"
    files = {"attachments": {"words.txt": b"le chat"}, "notes": {"CARD.md": b"# A model"}}
    checkpoint.write(for_use(**files), folder)
    assert (folder / "CARD.md").read_bytes() == b"# A model"
    (folder / "CARD.md").write_text("# My model")
    checkpoint.load(folder, TinyConfig)
    flip(folder / "words.txt", 3)
    with pytest.raises(DamagedError, match=r"words\.txt"):
        checkpoint.load(folder, TinyConfig)


def test_where_there_is_nothing_to_resume_the_advice_does_not_speak_of_it(tmp_path):
    with pytest.raises(StorageError, match=r"make room or name another folder$"):
        checkpoint.write(for_use(), tmp_path / "nowhere" / "model")


def test_weights_in_int8_are_float_again_when_loaded(tmp_path):
    weight = torch.tensor([[127.0, -3.0], [0.0, 254.0]])
    checkpoint.write(for_use(model=quantised.stored({"w": weight}, "int8")), tmp_path / "model")
    _, weights = checkpoint.load(tmp_path / "model", TinyConfig)
    assert torch.equal(weights["w"], weight)
