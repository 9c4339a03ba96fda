import json
import shutil

import pytest
import torch
from torch import nn

from regard.errors import DamagedError, InputError, RangeError, StorageError
from regard.storage.run_folder import places
from regard.tasks.translation import FileData
from regard.tasks.translation.predictor import load_translator
from regard.zoo.card import About
from regard.zoo.packing import pack
from training.tiny_run import flip

SENTENCES = ["bo da", "ku la pa fe gi", "", "gi gi gi"]


def best(run):
    return places(run, "best")[-1].path


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_packed_translator_is_these_files_and_nothing_of_the_training(packed):
    assert files(packed.folder) == {
        "CARD.md",
        "config.json",
        "manifest.json",
        "model.safetensors",
        "codec/source/tokeniser.json",
        "codec/target/tokeniser.json",
    }
    assert [*json.loads((packed.folder / "config.json").read_text())] == [
        "task",
        "model",
        "ancestor",
    ]
    assert packed.size == sum(p.stat().st_size for p in packed.folder.rglob("*") if p.is_file())


def test_it_opens_like_a_run_as_a_plain_model_in_single_precision(run, packed):
    model = load_translator(packed.folder).model
    trained = load_translator(run).model
    assert isinstance(model, nn.Module)
    assert not model.training
    assert model.config == trained.config
    for name, weight in trained.named_parameters():
        found = model.get_parameter(name)
        assert found.dtype == torch.float32
        rows = weight.flatten(1) if weight.dim() > 1 else weight
        limit = rows.abs().amax(-1, keepdim=True) / 254 * (1 + 1e-4) if weight.dim() > 1 else 0.0
        assert ((found - weight).abs().reshape(rows.shape) <= limit).all(), name


@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
def test_translations_are_those_that_were_compared(run, tmp_path, precision):
    made = pack(run, tmp_path / "x", precision=precision, sentences=3)
    before = load_translator(run).translate(SENTENCES)
    after = load_translator(made.folder).translate(SENTENCES)
    assert made.comparison.examples == 3
    if precision == "float32":
        assert made.comparison.changed == 0
        assert [one.text for one in after] == [one.text for one in before]
        assert [one.score for one in after] == [one.score for one in before]
    else:
        assert [one.score for one in after] != [one.score for one in before]


def test_fewer_bytes_are_fewer(run, tmp_path):
    sizes = [
        pack(run, tmp_path / precision, precision=precision, sentences=0).form
        for precision in ("int8", "float16", "float32")
    ]
    parameters = {form.parameters for form in sizes}
    model = load_translator(run).model
    assert parameters == {sum(one.numel() for one in model.parameters())}
    assert sizes[2].size == 4 * sizes[2].parameters
    assert sizes[1].size == 2 * sizes[1].parameters
    assert sizes[0].size < sizes[1].size


def test_one_checkpoint_can_be_packed_and_without_its_log(run, tmp_path):
    shutil.copytree(best(run), tmp_path / "step-00000008")
    made = pack(tmp_path / "step-00000008", tmp_path / "x", sentences=0)
    assert made.comparison is None
    assert "no validation of these weights" in (made.folder / "CARD.md").read_text()


def test_one_flipped_byte_is_refused_with_the_name_of_its_file(packed, tmp_path):
    for name in files(packed.folder) - {"CARD.md"}:
        folder = tmp_path / name.replace("/", "-")
        shutil.copytree(packed.folder, folder)
        flip(folder / name, (folder / name).stat().st_size // 2)
        with pytest.raises(DamagedError, match=name):
            load_translator(folder)


def test_the_card_may_be_written_on(packed, tmp_path):
    shutil.copytree(packed.folder, tmp_path / "x")
    (tmp_path / "x" / "CARD.md").write_text("# Another card")
    assert load_translator(tmp_path / "x").translate(["bo da"])


def test_what_is_there_is_not_written_over(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(StorageError, match="is there already; name another"):
        pack(run, tmp_path / "mine", sentences=0)
    assert files(tmp_path) == {"mine/letter.txt"}


def test_what_cannot_be_written_leaves_no_trace(run, tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("regard.storage.checkpoint.write_file", full)
    with pytest.raises(StorageError, match="No space left on device; make room or name another"):
        pack(run, tmp_path / "x", sentences=0)
    assert not [*tmp_path.iterdir()]


def test_a_packed_translator_is_not_packed_again(packed, tmp_path):
    with pytest.raises(StorageError, match="name the run that it was packed from"):
        pack(packed.folder, tmp_path / "x")


def test_less_than_no_sentences_are_refused(run, tmp_path):
    with pytest.raises(RangeError, match="0 sentences or more, got -1"):
        pack(run, tmp_path / "x", sentences=-1)


def test_pairs_that_are_gone_are_asked_for_unless_no_sentences_are(run, tmp_path, monkeypatch):
    def gone(data):
        raise InputError("valid.tsv: cannot be read")

    monkeypatch.setattr(FileData, "held_out", gone)
    with pytest.raises(InputError, match=r"valid\.tsv.*or ask for 0 sentences"):
        pack(run, tmp_path / "x")
    assert not (tmp_path / "x").exists()
    assert pack(run, tmp_path / "x", sentences=0).comparison is None


def test_what_a_run_was_told_of_places_stays_at_home(run, tmp_path):
    made = pack(run, tmp_path / "x", about=About(licence="CC0"), sentences=0)
    home = str(run.parent)
    for name in files(made.folder):
        assert home.encode() not in (made.folder / name).read_bytes()
    assert "train.tsv" in (made.folder / "CARD.md").read_text()
