"""Pictures by name, in a folder or a zip."""

from copy import deepcopy
from io import BytesIO
from zipfile import ZipFile

import pytest
from PIL import Image

from regard.data.images import PictureStore
from regard.errors import InputError

NAMES = ("a/one.png", "a/two.jpg", "b/one.webp", "three.PNG")


def picture(shade: int) -> bytes:
    file = BytesIO()
    Image.new("RGB", (3, 2), (shade, 0, 0)).save(file, "png")
    return file.getvalue()


@pytest.fixture(params=["folder", "zip"])
def place(request, tmp_path):
    files = {name: picture(10 * n) for n, name in enumerate(NAMES)}
    files |= {"notes.txt": b"no", ".hidden.png": b"no", "__MACOSX/a.png": b"no", ".d/x.png": b"no"}
    if request.param == "zip":
        with ZipFile(tmp_path / "pictures.zip", "w") as packed:
            for name, data in files.items():
                packed.writestr(name, data)
        return tmp_path / "pictures.zip"
    for name, data in files.items():
        (tmp_path / "f" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "f" / name).write_bytes(data)
    return tmp_path / "f"


def test_names_are_listed_in_order_and_nothing_else_is(place):
    store = PictureStore(place)
    assert store.names == NAMES
    assert list(store) == list(NAMES)
    assert len(store) == 4


def test_a_picture_is_found_with_and_without_its_end(place):
    store = PictureStore(place)
    assert store["a/two.jpg"].getpixel((0, 0)) == store["a/two"].getpixel((0, 0)) == (10, 0, 0)
    assert store["three"].getpixel((0, 0)) == (30, 0, 0)
    assert "b/one" in store
    assert "one" not in store


def test_an_unknown_name_is_told_with_a_known_one(place):
    with pytest.raises(InputError, match=r"of the name 'four', got 4 others, such as a/one\.png"):
        PictureStore(place)["four"]


def test_a_copy_opens_the_zip_for_itself(place):
    """What crosses into another process is this state: an open zip can neither go nor be copied."""
    store = PictureStore(place)
    _ = store["three"]
    copied = deepcopy(store)
    store.path = place.with_name("elsewhere")
    assert copied["three"].size == (3, 2)


def test_two_pictures_that_differ_by_their_end_need_it(tmp_path):
    for end in ("png", "jpg"):
        (tmp_path / f"x.{end}").write_bytes(picture(1))
    store = PictureStore(tmp_path)
    assert "x" not in store
    assert store["x.jpg"].size == (3, 2)


def test_a_damaged_picture_is_named_with_its_place(tmp_path):
    with ZipFile(tmp_path / "p.zip", "w") as packed:
        packed.writestr("bad.png", b"no picture")
    with pytest.raises(InputError, match=r"p\.zip/bad\.png: needs to be a picture"):
        PictureStore(tmp_path / "p.zip")["bad"]


def test_a_damaged_zip_is_one_sentence(tmp_path):
    (tmp_path / "p.zip").write_bytes(b"PK no")
    with pytest.raises(InputError, match="a folder of pictures or a zip of them"):
        PictureStore(tmp_path / "p.zip")
    with pytest.raises(InputError, match="No such file"):
        PictureStore(tmp_path / "none")


def test_an_entry_that_says_it_is_huge_stays_packed(tmp_path, monkeypatch):
    monkeypatch.setattr("regard.data.images.store.MOST_BYTES", 10)
    with ZipFile(tmp_path / "p.zip", "w") as packed:
        packed.writestr("a.png", picture(1))
    with pytest.raises(InputError, match="left packed"):
        PictureStore(tmp_path / "p.zip")["a"]
