"""Segmentation as a task: a picture to the class of every pixel.

>>> regard.load("run")("cat.jpg").shares["animal"]
0.41

Names are loaded when first used: who segments needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "SegmentationTask": "task",
    "SegmentedPicture": "sample",
    "Segmenter": "predictor",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .predictor import Segmenter as Segmenter
    from .recipe import recipe as recipe
    from .sample import SegmentedPicture as SegmentedPicture
    from .task import SegmentationTask as SegmentationTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
