"""How segmenters are best trained: settings to start from."""

from ..regions.recipe import region_recipe
from .task import SegmentationTask

recipe = region_recipe(SegmentationTask(), rate=3e-3, pictures=32)
RECIPE = recipe
