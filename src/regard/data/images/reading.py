"""One picture from a file, upright and in RGB, whatever the file holds."""

import os
import stat
import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from regard.errors import InputError
from regard.extras import need

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 2**26
"""Width times height at most, 8,192 × 8,192: a larger picture is refused before it is unpacked."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM", "TGA", "ICO", "JPEG2000", "AVIF")
"""What is read. Files that are programs, such as PostScript, are not."""
WHITE = (255, 255, 255)
DEEP = ("I", "F")
"""Modes of Pillow whose numbers have more than 8 bits; those of 16 bits begin with ``I;16``."""


@runtime_checkable
class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """So many of them, or all."""


Source = str | os.PathLike[str] | bytes | Readable
"""A path, the bytes of a file, or a file that is open for reading bytes."""


def read_picture(
    source: Source, *, most_pixels: int = MOST_PIXELS, name: str | None = None
) -> "Image":
    """A picture as RGB with 8 bits a colour, turned as its camera says.

    ======================= ====================================================================
    what the file holds     what comes
    ======================= ====================================================================
    EXIF orientation        is applied
    grey, palette, LAB, …   RGB of the same look
    alpha, a clear colour   laid on white
    16 bits a colour        the upper 8 of them
    32 bits, fractions      stretched from smallest to largest; nothing but one number is black
    CMYK                    as Pillow mixes it, without a colour profile
    several pictures        the first
    ======================= ====================================================================

    Args:
        source: a path, bytes, or an open file.
        most_pixels: width times height at most; a header that says more is not believed, and
            nothing is unpacked.
        name: what it is called in messages; the path if not given.

    Raises:
        InputError: not there, not a picture, cut short or damaged, or too large.
        MissingExtraError: Pillow is not installed.
    """
    need("PIL", "reading pictures")
    called = name or _called(source)
    file, owned = _opened(source, called)
    try:
        return _upright(_decoded(file, called, most_pixels), called)
    finally:
        if owned:
            file.close()


def _called(source: Source) -> str:
    return os.fspath(source) if isinstance(source, str | os.PathLike) else "the picture"


def _opened(source: Source, name: str) -> tuple[Any, bool]:
    """A file to read, and whether we have to close it."""
    if isinstance(source, bytes):
        return BytesIO(source), True
    if not isinstance(source, str | os.PathLike):
        return source, False
    try:
        if not stat.S_ISREG(Path(source).stat().st_mode):  # a pipe would be waited for, for ever
            raise InputError(f"{name}: a picture needs to be a file, and it is none")
        return Path(source).open("rb"), True
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{name}: a picture cannot be read, {said}") from None


def _decoded(file: Any, name: str, most_pixels: int) -> "Image":
    """The first picture of a file, unpacked."""
    from PIL import Image, UnidentifiedImageError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is odd about a file: it is read, or refused
        try:
            Image.init()
            known = [one for one in FORMATS if one in Image.OPEN]  # some need a library
            found = Image.open(file, formats=known)
            _require_size(found.size, name, most_pixels)
            found.load()
        except UnidentifiedImageError:
            raise InputError(f"{name}: needs to be a picture, such as PNG or JPEG") from None
        except Image.DecompressionBombError:
            raise InputError(
                f"{name}: a picture may have {most_pixels:,} pixels, and this one says it has "
                "many times more; it was not unpacked"
            ) from None
        except InputError:
            raise
        except Exception as error:  # decoders of damaged files raise anything
            raise InputError(f"{name}: the picture is cut short or damaged, {error}") from None
    return found


def _require_size(size: tuple[int, int], name: str, most_pixels: int) -> None:
    width, height = size
    if width < 1 or height < 1:
        raise InputError(f"{name}: a picture needs a pixel at least, got {width} × {height}")
    if width * height > most_pixels:
        raise InputError(
            f"{name}: a picture may have {most_pixels:,} pixels, and this one says it has "
            f"{width:,} × {height:,}; it was not unpacked: make it smaller"
        )


def _upright(found: "Image", name: str) -> "Image":
    """Turned, in RGB."""
    from PIL import ImageOps

    try:
        orientation = ImageOps.exif_transpose(found)
    except Exception:  # what a camera wrote beside the picture may be damaged, the picture is not
        orientation = found
    try:
        return _rgb(orientation)
    except (ValueError, OSError) as error:
        raise InputError(f"{name}: colours of kind {found.mode} cannot be read, {error}") from None


def _rgb(found: "Image") -> "Image":
    from PIL import Image

    if found.mode in DEEP or found.mode.startswith("I;16"):
        return Image.fromarray(_in_eight_bits(np.asarray(found), found.mode)).convert("RGB")
    if "A" in found.mode or "a" in found.mode or "transparency" in found.info:
        clear = found.convert("RGBA")
        ground = Image.new("RGBA", clear.size, (*WHITE, 255))
        return Image.alpha_composite(ground, clear).convert("RGB")
    return found.convert("RGB")


def _in_eight_bits(numbers: Any, mode: str) -> Any:
    """Grey of more than 8 bits as grey of 8."""
    if mode.startswith("I;16"):
        return (numbers.astype(np.uint32) >> 8).astype(np.uint8)
    wide = np.nan_to_num(numbers.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = wide.min(), wide.max()
    if mode == "I" and low >= 0 and high < 2**16 and high > 255:
        return (wide.astype(np.uint32) >> 8).astype(np.uint8)  # 16 bits in a wider mode
    return ((wide - low) * (255 / (high - low) if high > low else 0.0)).round().astype(np.uint8)
