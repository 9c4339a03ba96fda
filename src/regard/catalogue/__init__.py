"""The catalogue: every mechanism with its equation, cost, paper and home."""

from .cells import CELLS
from .mechanism import Mechanism as Mechanism
from .normalisers import NORMALISERS
from .pooling import POOLING
from .positions import POSITIONS
from .scores import SCORES
from .vision import VISION
from .ways import WAYS

CATALOGUE: dict[str, tuple[Mechanism, ...]] = {
    "pooling": POOLING,
    "scores": SCORES,
    "normalisers": NORMALISERS,
    "ways of attending": WAYS,
    "positions": POSITIONS,
    "cells": CELLS,
    "vision": VISION,
}
"""Mechanisms by family."""
