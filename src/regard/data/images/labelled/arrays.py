"""Pictures that come many in a file: sheets, the idx files of MNIST, scikit-learn's digits."""

import gzip
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.errors import InputError
from regard.extras import need

from .base import Arrays, Pixels

if TYPE_CHECKING:
    from PIL.Image import Image

DIGITS = "digits"
ACROSS = 100
"""Pictures side by side on a sheet."""
PICTURES, LABELS = 0x00000803, 0x00000801
"""What idx files of bytes begin with: of three axes, of one."""
MOST = 2**31
"""Bytes of an idx file at most, unpacked."""
FASHION = (
    *("T-shirt/top", "trouser", "pullover", "dress", "coat"),
    *("sandal", "shirt", "sneaker", "bag", "ankle boot"),
)
"""Xiao et al. 2017, table 1 (https://arxiv.org/abs/1708.07747), in the order of their numbers."""
CIFAR = (
    *("airplane", "automobile", "bird", "cat", "deer"),
    *("dog", "frog", "horse", "ship", "truck"),
)
"""Krizhevsky 2009, in the order of their numbers."""
CLASSES = {"fashion-mnist": FASHION, "cifar10": CIFAR}
"""Names of numbered classes, by the folder they lie in."""


def digits() -> Arrays:
    """The 1,797 digits of 8 × 8 pixels that come with scikit-learn.

    Raises:
        MissingExtraError: it is not installed.
    """
    found: Any = need("sklearn.datasets", "the data 'digits'").load_digits()
    grey = (found.images * (255 / 16)).round().astype(np.uint8)
    return Arrays(_coloured(grey), [str(label) for label in found.target], DIGITS)


def is_idx(path: Path) -> bool:
    """Whether this is the name of an idx file of pictures."""
    return "idx3-ubyte" in path.name


def read_idx(path: Path) -> Arrays:
    """Grey pictures, and their labels in the file whose name says so.

    http://yann.lecun.com/exdb/mnist: big-endian numbers of the axes, then bytes.

    Raises:
        InputError: a file that is not there, is damaged, or is something else.
    """
    other = path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1"))
    grey, labels = _idx(path, PICTURES, 3), _idx(other, LABELS, 1)
    names = CLASSES.get(path.absolute().parent.name, ())
    return Arrays(_coloured(grey), [_named(int(label), names) for label in labels], str(path))


def _idx(path: Path, wanted: int, axes: int) -> Pixels:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(MOST)
    except (OSError, EOFError) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read, {said}") from None
    start = 4 * (axes + 1)
    magic, *sizes = struct.unpack(f">{axes + 1}I", data[:start].ljust(start, b"\0"))
    if magic != wanted or len(data) - start != np.prod(sizes, dtype=np.int64):
        raise InputError(
            f"{path}: needs to be an idx file of bytes on {axes} axes, got other or fewer bytes"
        )
    return np.frombuffer(data, dtype=np.uint8, offset=start).reshape(sizes)


def is_sheet(path: Path) -> bool:
    """Whether there is a file of labels for it."""
    return path.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp") and _labels(path) is not None


def _labels(path: Path) -> Path | None:
    """``valid.labels`` of ``valid.jpg``, ``train.labels`` of ``train-0.jpg``, ``train-1.jpg``, …"""
    stems = (path.stem, path.stem.rpartition("-")[0])
    found = (path.with_name(f"{stem}.labels") for stem in stems if stem)
    return next((one for one in found if one.is_file()), None)


def read_sheet(path: Path, sheet: "Image") -> Arrays:
    """Square pictures, a hundred side by side, row by row.

    The file of labels has a digit for each. Of several sheets, ``train-0.jpg`` and so on, it is one
    behind the other.

    Raises:
        InputError: the sheet is no multiple of a hundred wide, or has not as many labels.
    """
    labels = _labels(path)
    assert labels is not None
    side, rest = divmod(sheet.width, ACROSS)
    if rest or not side or sheet.height % side:
        raise InputError(
            f"{path}: a sheet needs {ACROSS} square pictures side by side, got "
            f"{sheet.width} × {sheet.height} pixels"
        )
    numbers = np.asarray(sheet).reshape(-1, side, ACROSS, side, 3).swapaxes(1, 2)
    pictures = np.ascontiguousarray(numbers.reshape(-1, side, side, 3))
    digits = labels.read_text(encoding="ascii", errors="replace").strip()
    if labels.stem != path.stem:
        digits = digits[_before(path) :][: len(pictures)]
    if not digits.isdecimal():
        raise InputError(f"{labels}: needs a digit for every picture, and nothing else")
    names = CLASSES.get(path.absolute().parent.name, ())
    return Arrays(pictures, [_named(int(digit), names) for digit in digits], str(path))


def _before(path: Path) -> int:
    """How many pictures the sheets before this one hold: a header says how large they are."""
    from PIL import Image

    stem, _, number = path.stem.rpartition("-")
    count = 0
    for earlier in range(int(number) if number.isdecimal() else 0):
        place = path.with_name(f"{stem}-{earlier}{path.suffix}")
        try:
            with Image.open(place) as sheet:
                side = sheet.width // ACROSS
                count += ACROSS * (sheet.height // side)
        except (OSError, ZeroDivisionError):
            raise InputError(f"{place}: needs to be there: its labels come before") from None
    return count


def _coloured(grey: Pixels) -> Pixels:
    return np.repeat(grey[..., None], 3, axis=-1)


def _named(number: int, names: tuple[str, ...]) -> str:
    return names[number] if number < len(names) else str(number)
