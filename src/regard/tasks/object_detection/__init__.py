"""Object detection as a task: a picture to boxes with labels.

>>> regard.load("run")("blood.png").objects[0].label
'WBC'

Names are loaded when first used: who detects needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "DetectedObject": "sample",
    "DetectedObjects": "sample",
    "ObjectDetectionTask": "task",
    "ObjectDetector": "predictor",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .predictor import ObjectDetector as ObjectDetector
    from .recipe import recipe as recipe
    from .sample import DetectedObject as DetectedObject
    from .sample import DetectedObjects as DetectedObjects
    from .task import ObjectDetectionTask as ObjectDetectionTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
