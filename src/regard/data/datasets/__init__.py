"""Public datasets by name, fetched on demand; none is shipped."""

from .catalogue import DATASETS as DATASETS
from .catalogue import Dataset as Dataset
from .catalogue import Part as Part
from .get import get as get

__all__ = ["DATASETS", "Dataset", "Part", "get"]
