"""The suites of ``regard bench``: each the claims of one chapter, as data."""

from .catalogue import TOPICS as TOPICS
from .catalogue import Maker as Maker

__all__ = ["TOPICS", "Maker"]
