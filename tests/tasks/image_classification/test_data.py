"""Pictures with labels from whatever holds them."""

from pathlib import Path

import numpy as np
import pytest

from regard.data.images.labelled import read_labelled_pictures
from regard.errors import InputError
from regard.tasks.image_classification import LabelledPictures
from tasks.image_classification.small import SIDE, drawn, folder, idx, sheets, table

SIZE = (SIDE, SIDE)


def test_a_folder_has_a_class_for_every_folder_in_it(tmp_path):
    found = read_labelled_pictures(str(folder(tmp_path / "deep" / "inside", 7).parent))
    pictures, labels = drawn(7)
    order = sorted(range(7), key=lambda n: (labels[n], n))
    assert found.labels == tuple(labels[n] for n in order)
    assert np.array_equal(found.pixels(SIZE), pictures[order])
    assert found.size is None


def test_pictures_in_no_folder_have_no_class(tmp_path):
    folder(tmp_path, 3)
    with pytest.raises(InputError, match="a folder with pictures for every class, got"):
        read_labelled_pictures(str(tmp_path / "left"))


def test_a_table_names_pictures_of_a_zip(tmp_path):
    names, packed = table(tmp_path, 9)
    found = read_labelled_pictures(str(names), pictures=str(packed))
    pictures, labels = drawn(9)
    assert found.labels == tuple(labels)
    assert np.array_equal(found.pixels(SIZE), pictures)
    assert found.places[2].endswith("train.tsv, line 3")
    with pytest.raises(InputError, match=r"train\.tsv, line 1: needs a picture of .*'p0'"):
        read_labelled_pictures(str(names), pictures=str(folder(tmp_path / "others", 3)))


def test_columns_may_stand_elsewhere(tmp_path):
    names, packed = table(tmp_path, 4)
    found = read_labelled_pictures(str(names), pictures=str(packed), columns=(3, 1))
    assert set(found.labels) == {"7"}


def test_idx_files_are_read_with_their_labels(tmp_path):
    found = read_labelled_pictures(str(idx(tmp_path, 11)))
    pictures, labels = drawn(11)
    assert found.labels == tuple("01"[label == "right"] for label in labels)
    assert found.size == SIZE
    for channel in range(3):
        assert np.array_equal(found.pixels(SIZE)[..., channel], pictures[..., 0])


def test_an_idx_file_that_is_cut_short_is_told(tmp_path):
    path = idx(tmp_path, 5)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="cannot be read"):
        read_labelled_pictures(str(path))
    (tmp_path / "x-images-idx3-ubyte").write_bytes(b"\0\0\x08\x03" + b"\0" * 40)
    with pytest.raises(InputError, match="needs to be an idx file"):
        read_labelled_pictures(str(tmp_path / "x-images-idx3-ubyte"))


def test_sheets_share_a_file_of_labels(tmp_path):
    pictures, labels = drawn(300)
    for path, rows in zip(sheets(tmp_path), (slice(0, 200), slice(200, 300)), strict=True):
        found = read_labelled_pictures(str(path))
        assert np.array_equal(found.pixels(SIZE), pictures[rows])
        assert found.labels == tuple("01"[label == "right"] for label in labels[rows])


def test_digits_come_with_scikit_learn():
    pytest.importorskip("sklearn")
    found = read_labelled_pictures("digits")
    assert (len(found), found.size) == (1797, (8, 8))
    assert set(found.labels) == set("0123456789")


def test_pictures_of_an_array_are_squeezed_if_asked(tmp_path):
    found = read_labelled_pictures(str(idx(tmp_path, 3)))
    assert found.pixels((5, 9)).shape == (3, 5, 9, 3)


def test_what_is_not_there_is_told():
    with pytest.raises(InputError, match="needs to be there"):
        read_labelled_pictures("nowhere.tsv")


def test_some_are_kept_back_by_their_pixels_alone(tmp_path):
    place = folder(tmp_path / "a", 150)
    data = LabelledPictures(train=place, kept_back=0.3)
    train, _ = data.training(SIZE)
    held, labels, shown = data.held_out(SIZE)
    assert len(train) + len(held) == 150
    assert 20 < len(held) < 70
    assert len(shown) == 3
    more = LabelledPictures(train=(place, folder(tmp_path / "b", 40, seed=5)), kept_back=0.3)
    again, _, _ = more.held_out(SIZE)
    kept = {one.tobytes() for one in again}
    assert all(one.tobytes() in kept for one in held)
    assert len(labels) == len(held)


def test_a_codec_knows_labels_size_and_colours(tmp_path):
    codec = LabelledPictures(train=folder(tmp_path / "a", 50), valid=tmp_path / "a").learn(5)
    assert codec.labels == ("left", "right")
    assert codec.size == (5, 5)
    assert all(0.2 < one < 0.6 for one in codec.mean)
    with pytest.raises(InputError, match="two classes or more, got left"):
        only = tmp_path / "only"
        (tmp_path / "a" / "left").rename(tmp_path / "left")
        only.mkdir()
        (tmp_path / "left").rename(only / "left")
        LabelledPictures(train=only).learn(5)


FASHION = Path("/usr/share/datasets/fashion-mnist")


@pytest.mark.skipif(not FASHION.exists(), reason="apt-get install dataset-fashion-mnist")
def test_fashion_mnist_is_that_of_debian():
    found = read_labelled_pictures(str(FASHION / "t10k-images-idx3-ubyte.gz"))
    assert (len(found), found.size) == (10_000, (28, 28))
    assert found.labels[:4] == ("ankle boot", "pullover", "trouser", "trouser")
    assert {found.labels.count(label) for label in set(found.labels)} == {1000}
