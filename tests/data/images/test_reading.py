"""Every odd file is a documented picture, or one sentence."""

import contextlib
import os
import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from regard.data.images import PictureStore, read_picture
from regard.errors import InputError

RED, GREEN, BLUE = (200, 10, 20), (10, 200, 20), (20, 10, 200)


def saved(image: Image.Image, kind: str = "png", **more) -> bytes:
    file = BytesIO()
    image.save(file, kind, **more)
    return file.getvalue()


def two_by_three() -> Image.Image:
    """Three wide, two high; red, green, blue above black."""
    image = Image.new("RGB", (3, 2))
    for x, colour in enumerate((RED, GREEN, BLUE)):
        image.putpixel((x, 0), colour)
    return image


def header(width: int, height: int) -> bytes:
    """A PNG that says it has so many pixels, and has none."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    size = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def test_a_path_bytes_and_an_open_file_are_the_same_picture(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(saved(two_by_three()))
    wanted = list(two_by_three().get_flattened_data())
    with path.open("rb") as file:
        for source in (path, str(path), path.read_bytes(), file):
            found = read_picture(source)
            assert (found.mode, found.size) == ("RGB", (3, 2))
            assert list(found.get_flattened_data()) == wanted
        assert not file.closed


def test_a_picture_is_turned_as_its_camera_says():
    exif = Image.Exif()
    exif[0x0112] = 6  # the top is on the right
    found = read_picture(saved(two_by_three(), exif=exif))
    assert found.size == (2, 3)
    assert found.getpixel((1, 0)) == RED
    assert found.getpixel((1, 2)) == BLUE


def test_a_damaged_note_of_a_camera_does_not_matter():
    found = read_picture(
        saved(two_by_three(), "jpeg", exif=b"Exif\x00\x00MM\x00*nonsense", quality=95)
    )
    assert found.size == (3, 2)


def test_alpha_is_laid_on_white():
    image = Image.new("RGBA", (1, 1), (100, 0, 0, 51))  # a fifth
    assert read_picture(saved(image)).getpixel((0, 0)) == (224, 204, 204)
    grey = Image.new("LA", (1, 1), (0, 0))
    assert read_picture(saved(grey)).getpixel((0, 0)) == (255, 255, 255)


def test_a_clear_colour_of_a_palette_is_white():
    image = Image.new("P", (2, 1))
    image.putpalette([*RED, *GREEN])
    image.putpixel((1, 0), 1)
    found = read_picture(saved(image, transparency=1))
    assert [found.getpixel((x, 0)) for x in (0, 1)] == [RED, (255, 255, 255)]
    plain = read_picture(saved(image))
    assert [plain.getpixel((x, 0)) for x in (0, 1)] == [RED, GREEN]


def test_of_sixteen_bits_the_upper_eight_are_kept():
    numbers = np.array([[0, 255, 256, 0xABCD, 65535]], dtype=np.uint16)
    for kind in ("png", "tiff"):
        found = read_picture(saved(Image.fromarray(numbers), kind))
        assert [pixel[0] for pixel in found.get_flattened_data()] == [0, 0, 1, 0xAB, 255]


def test_fractions_are_stretched_and_what_is_no_number_does_not_matter():
    numbers = np.array([[-1.0, 0.0, 1.0, np.nan]], dtype=np.float32)
    found = read_picture(saved(Image.fromarray(numbers), "tiff"))
    assert [pixel[0] for pixel in found.get_flattened_data()] == [0, 128, 255, 128]
    flat = np.full((1, 2), 7.0, dtype=np.float32)
    assert read_picture(saved(Image.fromarray(flat), "tiff")).getpixel((0, 0)) == (0, 0, 0)


def test_four_inks_are_mixed():
    image = Image.new("CMYK", (8, 8), (0, 255, 255, 0))
    red, green, blue = read_picture(saved(image, "jpeg", quality=100)).getpixel((3, 3))
    assert red > 250
    assert max(green, blue) < 5


@pytest.mark.parametrize(
    "image",
    [
        *(Image.new("RGB", (3, 5), (255, 255, 255)).convert(mode) for mode in ("1", "L", "YCbCr")),
        Image.new("LAB", (3, 5), (255, 128, 128)),
    ],
    ids=lambda image: image.mode,
)
def test_other_modes_become_colours(image):
    found = read_picture(saved(image, "tiff"))
    assert (found.mode, found.size) == ("RGB", (3, 5))
    assert min(found.getpixel((2, 4))) > 250


@pytest.mark.parametrize("kind", ["gif", "webp", "png", "tiff"])
def test_of_several_pictures_the_first_comes(kind):
    frames = [Image.new("RGB", (5, 3), colour) for colour in (RED, GREEN, BLUE)]
    data = saved(frames[0], kind, save_all=True, append_images=frames[1:])
    red, green, _ = read_picture(data).getpixel((2, 2))
    assert red > 150 > 50 > green


def test_a_single_pixel_is_a_picture():
    assert read_picture(saved(Image.new("RGB", (1, 1), RED))).getpixel((0, 0)) == RED


@pytest.mark.parametrize(
    "data", [b"", b"no picture", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"]
)
def test_what_is_no_picture_is_told(data):
    with pytest.raises(
        InputError, match=r"^the picture: needs to be a picture, such as PNG or JPEG$"
    ):
        read_picture(data)


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp", "gif", "tiff", "bmp"])
def test_a_picture_that_is_cut_short_anywhere_is_one_sentence_or_whole(kind):
    noise = np.random.default_rng(1).integers(0, 256, (23, 17, 3), dtype=np.uint8)
    data = saved(Image.fromarray(noise), kind)
    whole = read_picture(data).size
    refused = 0
    for end in range(0, len(data), max(1, len(data) // 60)):
        try:
            assert read_picture(data[:end], name="x").size == whole
        except InputError as error:
            refused += 1
            assert str(error).startswith("x: ")
    assert refused > 10


def test_flipped_bytes_never_raise_anything_else():
    noise = np.random.default_rng(2).integers(0, 256, (9, 11, 3), dtype=np.uint8)
    chance = np.random.default_rng(3)
    for kind in ("png", "jpeg", "webp", "gif", "tiff"):
        data = saved(Image.fromarray(noise), kind)
        for _ in range(40):
            damaged = bytearray(data)
            for place in chance.integers(0, len(data), 3):
                damaged[place] = chance.integers(256)
            with contextlib.suppress(InputError):
                assert read_picture(bytes(damaged), most_pixels=10**6).mode == "RGB"


@pytest.mark.parametrize("side", [8193, 100_000, 2**31 - 1])
def test_a_bomb_is_refused_before_it_is_unpacked(side):
    with pytest.raises(InputError, match="not unpacked"):
        read_picture(header(side, side))


def test_the_most_pixels_are_the_callers_to_choose():
    data = saved(two_by_three())
    assert read_picture(data, most_pixels=6).size == (3, 2)
    with pytest.raises(InputError, match=r"may have 5 pixels, and this one says it has 3 × 2"):
        read_picture(data, most_pixels=5)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.png: a picture cannot be read, No such file"):
        read_picture(tmp_path / "none.png")
    with pytest.raises(InputError, match="needs to be a file, and it is none"):
        read_picture(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_picture("a\0b.png")


@pytest.mark.parametrize("name", ["pipe", "link"])
def test_a_pipe_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "link.png").symlink_to("pipe.png")
    with pytest.raises(InputError, match=r"\.png: a picture needs to be a file, and it is none"):
        PictureStore(tmp_path)[name]
