"""Pictures by name, in a folder or in a zip: listed without being read."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from regard.errors import InputError

from .reading import MOST_PIXELS, read_picture

if TYPE_CHECKING:
    from PIL.Image import Image

ENDS = frozenset(
    [
        *(".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".gif", ".bmp", ".tif", ".tiff"),
        *(".ppm", ".pgm", ".pbm", ".pnm", ".tga", ".ico", ".jp2", ".avif"),
    ]
)
"""How names of pictures end."""
HIDDEN = (".", "__MACOSX")
"""How names begin of what systems put beside pictures."""
MOST_BYTES = 2**28
"""Of one file of a zip, unpacked: what says it is larger is not unpacked."""


class PictureStore:
    """All pictures below a folder, or in a zip.

    >>> store = PictureStore("images.zip")
    >>> store["cat-12"]                 # a picture of Pillow: cat-12.webp

    Names are paths with ``/``, in the order of the alphabet; hidden files, and what does not end
    like a picture, are left out. A picture is found by its name with or without its end. A copy in
    another process opens the zip for itself.

    Args:
        path: of the folder or the zip.
        most_pixels: of one picture.

    Raises:
        InputError: neither a folder nor a zip, or two pictures of one name.
    """

    def __init__(self, path: str | os.PathLike[str], *, most_pixels: int = MOST_PIXELS) -> None:
        self.path = Path(path)
        self.most_pixels = most_pixels
        self._zip: ZipFile | None = None
        self.names = tuple(sorted(self._listed()))
        """Of all pictures."""
        self._places = self._known()

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        """Their names."""
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        """Whether there is one of this name, with or without its end."""
        return name in self._places

    def __getitem__(self, name: str) -> "Image":
        """A picture, as :func:`read_picture` reads it.

        Raises:
            InputError: there is none of this name, or it cannot be read.
        """
        place = self.place(name)
        said = str(self.path / place)
        if not self._is_zip:
            return read_picture(self.path / place, most_pixels=self.most_pixels, name=said)
        return read_picture(self._bytes(place), most_pixels=self.most_pixels, name=said)

    def place(self, name: str) -> str:
        """The full name of a picture.

        Raises:
            InputError: there is none.
        """
        if name not in self._places:
            near = self.names[0] if self.names else "none at all"
            raise InputError(
                f"{self.path}: needs a picture of the name {name!r}, got {len(self)} others, such "
                f"as {near}"
            )
        return self._places[name]

    def __getstate__(self) -> dict[str, object]:
        """Without the open zip."""
        return {**self.__dict__, "_zip": None}

    def __repr__(self) -> str:
        return f"PictureStore('{self.path}', {len(self):,} pictures)"

    @property
    def _is_zip(self) -> bool:
        return self.path.is_file()

    def _listed(self) -> Iterator[str]:
        if self.path.is_dir():
            for folder, folders, found in os.walk(self.path, followlinks=True):
                folders[:] = [one for one in folders if not one.startswith(HIDDEN)]
                here = Path(folder).relative_to(self.path)
                yield from ((here / one).as_posix() for one in found if _is_picture(one))
            return
        for entry in self._open().infolist():
            if not entry.is_dir() and _is_picture(entry.filename):
                yield entry.filename

    def _open(self) -> ZipFile:
        if self._zip is None:
            try:
                self._zip = ZipFile(self.path)
            except (OSError, BadZipFile) as error:
                said = getattr(error, "strerror", None) or error
                raise InputError(
                    f"{self.path}: needs to be a folder of pictures or a zip of them, {said}"
                ) from None
        return self._zip

    def _bytes(self, place: str) -> bytes:
        said = self.path / place
        if self._open().getinfo(place).file_size > MOST_BYTES:
            raise InputError(f"{said}: says it is larger than {MOST_BYTES:,} bytes; left packed")
        try:
            with self._open().open(place) as file:
                return file.read(MOST_BYTES)
        except Exception as error:  # a damaged zip raises anything, a locked one RuntimeError
            raise InputError(f"{said}: cannot be unpacked, {error}") from None

    def _known(self) -> dict[str, str]:
        """Full names, and those without their end that mean one picture only."""
        short: dict[str, list[str]] = {}
        for name in self.names:
            short.setdefault(str(PurePosixPath(name).with_suffix("")), []).append(name)
        alone = {name: found[0] for name, found in short.items() if len(found) == 1}
        return alone | {name: name for name in self.names}


def _is_picture(name: str) -> bool:
    place = PurePosixPath(name)
    hidden = any(part.startswith(HIDDEN) for part in place.parts)
    return place.suffix.lower() in ENDS and not hidden
