"""Masks in files: the number of a class for every pixel, as PNG or any format without loss."""

from io import BytesIO

import numpy as np
import torch

from regard.errors import InputError
from regard.extras import need
from regard.types import Tensor, UInt8

from ..images import PictureStore, read_picture

GREYS = {"1", "L", "P", "I;16", "I;16B", "I"}
"""Modes of Pillow whose pixels are single numbers; of a palette, its indices count."""
LARGEST = 254


class MaskStore(PictureStore):
    """All masks below a folder, or in a zip, found by the names of their pictures.

    >>> store = MaskStore("masks.zip")
    >>> store.mask("cat-12.jpg")        # (Y, X), numbers of classes, from cat-12.png
    """

    def mask(self, name: str) -> UInt8[Tensor, "Y X"]:
        """The numbers of the mask of a picture, uint8.

        Raises:
            InputError: there is none of this name, it has colours, or numbers beyond 254.
        """
        place = self.place(name if name in self else name.rpartition(".")[0] or name)
        said = str(self.path / place)
        source = BytesIO(self._bytes(place)) if self._is_zip else self.path / place
        read_picture(source, most_pixels=self.most_pixels, name=said)  # says what is wrong with it
        image = need("PIL.Image", "reading masks")
        with image.open(source) as picture:
            if picture.mode not in GREYS:
                raise InputError(
                    f"{said}: a mask needs one number a pixel, grey or of a palette, got colours "
                    f"({picture.mode})"
                )
            numbers = np.array(picture).astype(np.int64)
        if numbers.min() < 0 or numbers.max() > LARGEST:
            raise InputError(
                f"{said}: numbers of classes need to be from 0 to {LARGEST}, got {numbers.max()}"
            )
        return torch.from_numpy(numbers.astype(np.uint8))
