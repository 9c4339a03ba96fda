"""Captioning as a task: a picture to a sentence.

>>> regard.load("scene-captioner")("picture.png").text
'a large red circle to the left of a small blue star'

Names are loaded when first used: who captions needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "CaptionFiles": "data",
    "CaptionedImage": "sample",
    "CaptioningTask": "task",
    "PictureCaptioner": "predictor",
    "SceneCaptions": "data",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .data import CaptionFiles as CaptionFiles
    from .data import SceneCaptions as SceneCaptions
    from .predictor import PictureCaptioner as PictureCaptioner
    from .recipe import recipe as recipe
    from .sample import CaptionedImage as CaptionedImage
    from .task import CaptioningTask as CaptioningTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
