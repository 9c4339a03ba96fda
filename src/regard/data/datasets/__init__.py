"""Public datasets by name, fetched on demand; none is shipped."""

from .catalogue import DATASETS as DATASETS
from .dataset import Dataset as Dataset
from .dataset import Part as Part
from .get import get as get

__all__ = ["DATASETS", "Dataset", "Part", "get"]
