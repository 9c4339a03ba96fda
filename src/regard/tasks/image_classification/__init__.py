"""Image classification as a task: a picture to one label.

>>> regard.load("run")("cat.jpg").label
'cat'

Names are loaded when first used: who classifies needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "ClassifiedPicture": "sample",
    "ImageClassificationTask": "task",
    "LabelledPictures": "data",
    "PictureLabeller": "predictor",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .data import LabelledPictures as LabelledPictures
    from .predictor import PictureLabeller as PictureLabeller
    from .recipe import recipe as recipe
    from .sample import ClassifiedPicture as ClassifiedPicture
    from .task import ImageClassificationTask as ImageClassificationTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
