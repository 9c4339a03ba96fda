"""Maps of a network that stays as it is: computed once for every picture, kept in safe files.

A file holds the maps of some pictures that came together, and is named by what they show: other
pictures, another order or another network are another file. What was cut short is computed again,
and nothing but that.
"""

import os
from collections.abc import Iterable
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from regard.data.files import write_whole
from regard.data.images import pixels
from regard.errors import StorageError
from regard.extras import need
from regard.models.vision.pretrained import SIDE, PretrainedEncoder, pretrained
from regard.types import Tensor

from .shelf import PART, Shelf

if TYPE_CHECKING:
    from PIL.Image import Image

NAME = "maps"
AT_ONCE = 16
"""Pictures that the network sees together."""


def usual_folder() -> Path:
    """Where maps are kept unless another folder is named: ``REGARD_CACHE``, or the user's cache."""
    named = os.environ.get("REGARD_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "regard" / "maps"


def stored_maps(pictures: "Iterable[Image]", network: str, folder: str = "") -> Shelf:
    """The maps of pictures, in their order.

    Args:
        pictures: as they were read.
        network: one of :data:`regard.models.vision.pretrained.pretrained`.
        folder: where they are kept.

    Raises:
        MissingExtraError: maps are missing, and the network is not installed.
        StorageError: the folder cannot be written to, or a file in it is damaged.
    """
    maker = Maker(network, Path(folder) if folder else usual_folder())
    stream, parts, total = iter(pictures), [], blake2b(digest_size=8)
    while some := list(islice(stream, PART)):
        name, maps = maker.part(some)
        total.update(name.encode())
        parts.append(maps)
    return Shelf(parts, total.hexdigest())


class Maker:
    """Computes maps, or finds them where they were kept.

    Args:
        network: which.
        folder: where they are kept.
    """

    def __init__(self, network: str, folder: Path) -> None:
        self._make = pretrained[network]
        self._encoder: PretrainedEncoder | None = None
        self.network, self.folder = network, folder

    def part(self, pictures: "list[Image]") -> tuple[str, Tensor]:
        """The name of some pictures, and their maps."""
        batch = torch.stack([pixels(picture, SIDE) for picture in pictures])
        name = blake2b(batch.contiguous().numpy().tobytes(), digest_size=16).hexdigest()
        path = self.folder / self.network / f"{name}.safetensors"
        if not path.exists():
            self._keep(path, self.maps(batch))
        return name, self._read(path, len(pictures))

    @property
    def encoder(self) -> PretrainedEncoder:
        """The network, loaded when it is first needed."""
        if self._encoder is None:
            self._encoder = self._make()
        return self._encoder

    def maps(self, batch: Tensor) -> Tensor:
        """Maps of pixels, uint8, in half precision."""
        return torch.cat([self.encoder(some).half() for some in batch.split(AT_ONCE)])

    def _keep(self, path: Path, maps: Tensor) -> None:
        data = need("safetensors.torch", "keeping maps").save({NAME: maps.contiguous()})
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, lambda file: file.write(data))
        except OSError as error:
            raise StorageError(
                f"{path}: maps cannot be kept, {error.strerror or error}; name another folder by "
                "the environment variable REGARD_CACHE"
            ) from None

    def _read(self, path: Path, count: int) -> Tensor:
        load = need("safetensors.torch", "reading maps").load_file
        try:
            maps: Tensor = load(path)[NAME]  # stays in the file until it is looked at
        except Exception as error:
            raise StorageError(f"{path}: is damaged, {error}; delete it") from None
        if len(maps) != count:
            raise StorageError(f"{path}: is damaged, it has {len(maps)} pictures; delete it")
        return maps
