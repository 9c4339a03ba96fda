"""Autoencoding of pictures: learned, used, drawn, measured; data of every kind."""

import json

import numpy as np
import pytest
import torch
from PIL import Image
from pydantic import ValidationError

import regard
from regard.cli.app import main
from regard.errors import InputError, ShapeError
from regard.tasks.autoencoding import AutoencodingTask, PictureFiles, PictureReconstructor
from regard.training import launch
from regard.training import log as logs
from regard.zoo.packing import pack
from tasks.autoencoding.small import settings
from tasks.image_classification import small as pictures

SMALL = {
    "latent": 7,
    "widths": [8, 6],
    "encoder": {"stem": 4, "widths": [6], "blocks": [1], "strides": [2]},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place = tmp_path_factory.mktemp("pictures")
    data = PictureFiles(
        train=pictures.folder(place / "train", 40), valid=pictures.folder(place / "v", 11, 1)
    )
    chosen = settings(
        AutoencodingTask(data=data, size=8),
        60,
        batch={"max_tokens": 20},
        measure="psnr",
        average=0.5,
    )
    launch(chosen, "autoencoder", place / "run", changes=SMALL)
    return place / "run"


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    return pictures.folder(tmp_path_factory.mktemp("new"), 9, seed=9)


def test_it_learns_where_pictures_are_bright(run):
    valid = [line for line in logs.read(run / "log.jsonl") if line["kind"] == "valid"][-1]
    # what is drawn is noise of 90 levels, and 120 more on one side: all of one colour is far off
    flat = ((120 / 2) ** 2 + 90**2 / 12) / 255**2
    assert valid["loss"] < 0.6 * flat
    assert valid["psnr"] == pytest.approx(-10 * np.log10(valid["loss"]), abs=0.5)


def test_a_picture_in_any_form_comes_back_the_same(run, new):
    predictor = regard.load(run)
    assert type(predictor) is PictureReconstructor
    (picture, *_), _ = pictures.drawn(2, seed=4)
    tensor = torch.from_numpy(picture).permute(2, 0, 1)
    one, other = predictor([Image.fromarray(picture), tensor], looks=True)
    assert torch.equal(one.reconstruction, other.reconstruction)
    torch.testing.assert_close(one.latent, other.latent)
    error = ((one.reconstruction.double() - tensor.double()) / 255).square().mean()
    assert one.error == pytest.approx(float(error), rel=0.01)
    assert one.latent.shape == (7,) and predictor(tensor).latent is None
    drawn = predictor.drawn(predictor.latents([tensor]))
    assert (drawn[0].int() - one.reconstruction.int()).abs().max() <= 1
    paths = sorted(new.rglob("*.png"))
    assert [sample.name for sample in predictor(paths)] == list(map(str, paths))
    with pytest.raises(ShapeError, match=r"drawn needs latents \(N, 7\), got \(7,\)"):
        predictor.drawn(torch.zeros(7))
    with pytest.raises(InputError, match=r"none\.png"):
        predictor("none.png")
    with pytest.raises(ShapeError, match=r"uint8 \(3, Y, X\)"):
        predictor(torch.zeros(3, 8, 8))


def test_reconstruct_draws_pictures_beside_what_came_back(run, new, capsys, tmp_path):
    paths, model = sorted(map(str, new.rglob("*.png")))[:3], ["--model", str(run)]
    assert main(["reconstruct", *paths, *model, "--show"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == paths
    assert main(["reconstruct", paths[0], *model, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["latent"]) == 7
    for count, end in ((1, "png"), (3, "svg"), (3, "html")):
        out = tmp_path / f"x.{end}"
        assert main(["reconstruct", *paths[:count], *model, "--out", str(out)]) == 0
        assert out.stat().st_size > 1000
    space = tmp_path / "space.svg"
    assert main(["reconstruct", str(new), *model, "--first", "5", "--space", str(space)]) == 0
    assert "left" in space.read_text()
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3 + 3 + 5


def test_evaluate_tells_error_and_ratio(run, new, capsys):
    assert main(["evaluate", str(run), "--data", str(new), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["test"] == {"pictures": 9} and told["scores"]["psnr"] > 12
    assert main(["evaluate", str(run), f"{run}/../run", "--data", str(new)]) == 0
    assert "PSNR, dB" in capsys.readouterr().out
    assert main(["evaluate", str(run), "--samples", "0"]) == 0  # digits, squeezed
    assert "squared error" in capsys.readouterr().out


def test_packed_it_comes_back_as_before(run, tmp_path):
    made = pack(run, tmp_path / "packed", sentences=5)
    assert made.comparison.examples == 5 and made.comparison.changed <= 5
    assert made.comparison.before == pytest.approx(made.comparison.after, abs=1)
    assert "8 × 8 pixels" in (tmp_path / "packed" / "CARD.md").read_text()


def test_what_is_named_says_whether_it_is_text_or_pictures(tmp_path):
    kinds = {
        "digits": "pictures",
        str(tmp_path): "pictures",
        "train-images-idx3-ubyte.gz": "pictures",
        "some.png": "pictures",
        "some.zip": "pictures",
        "lines.txt": "files",
        "book.txt.gz": "files",
    }
    for name, kind in kinds.items():
        assert AutoencodingTask(data={"train": name}).data.kind == kind, name
    assert AutoencodingTask(data={"seed": 3}).data.kind == "grammar"
    assert AutoencodingTask(data={"kind": "pictures", "train": "x.txt"}).of_pictures


def test_pictures_are_read_from_idx_files_and_from_folders_without_classes(tmp_path):
    path = pictures.idx(tmp_path, 12)
    data = PictureFiles(train=path)
    assert data.frame(None).size == (8, 8) and len(data.seen()) == 12
    flat = tmp_path / "flat"
    flat.mkdir()
    for number, one in enumerate(pictures.drawn(5)[0]):
        Image.fromarray(one).save(flat / f"{number}.png")
    codec = PictureFiles(train=flat, valid=flat).frame(6)
    assert (codec.height, codec.width) == (6, 6)
    with pytest.raises(InputError, match="cluttered-digits has none"):
        PictureFiles(train="cluttered-digits").frame(None)


def test_digits_of_scikit_learn_are_the_usual_pictures():
    codec = AutoencodingTask(data={"kind": "pictures"}).learn()
    assert codec.size == (8, 8)


def test_noise_of_the_other_kind_is_refused():
    with pytest.raises(ValidationError, match="noise of pictures needs to be hidden and gaussian"):
        AutoencodingTask(data={"train": "digits"}, noise={"dropped": 0.1, "shuffled": 2})
    with pytest.raises(ValidationError, match=r"noise of texts .* got gaussian"):
        AutoencodingTask(noise={"gaussian": 0.1})
