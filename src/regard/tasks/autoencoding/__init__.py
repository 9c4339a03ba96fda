"""Autoencoding as a task: a text or a picture through one vector, and the same again.

>>> regard.load("run")("The black cat ate the mouse.").reconstruction
'The black cat ate the mouse.'

Names are loaded when first used: who reconstructs needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "AutoencodingTask": "task",
    "Noise": "noise",
    "PictureFiles": "data",
    "PictureReconstructor": "predictor_of_pictures",
    "ReconstructedPicture": "sample",
    "ReconstructedText": "sample",
    "Reconstructor": "predictor",
    "TextReconstructor": "predictor_of_text",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .data import PictureFiles as PictureFiles
    from .noise import Noise as Noise
    from .predictor import Reconstructor as Reconstructor
    from .predictor_of_pictures import PictureReconstructor as PictureReconstructor
    from .predictor_of_text import TextReconstructor as TextReconstructor
    from .recipe import recipe as recipe
    from .sample import ReconstructedPicture as ReconstructedPicture
    from .sample import ReconstructedText as ReconstructedText
    from .task import AutoencodingTask as AutoencodingTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
