"""Pictures: files of any kind as RGB, folders and zips of them, batches of pixels, augmentation.

Names are loaded when first used: settings of a task need no tensors.
"""

from typing import TYPE_CHECKING

HOMES = {
    "Augmentation": "augmentation",
    "AugmentationConfig": "augmentation_config",
    "PictureStore": "store",
    "normalised": "pixels",
    "pixels": "pixels",
    "read_picture": "reading",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .augmentation import Augmentation as Augmentation
    from .augmentation_config import AugmentationConfig as AugmentationConfig
    from .pixels import normalised as normalised
    from .pixels import pixels as pixels
    from .reading import read_picture as read_picture
    from .store import PictureStore as PictureStore
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
