"""How detectors are best trained: settings to start from."""

from ..regions.recipe import region_recipe
from .task import ObjectDetectionTask

recipe = region_recipe(ObjectDetectionTask(), rate=2e-3, pictures=16)
RECIPE = recipe
