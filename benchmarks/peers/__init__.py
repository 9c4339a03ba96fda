"""The systems in a race: ourselves and the others, each a small named value."""

from .catalogue import SYSTEMS as SYSTEMS
from .system import System as System

__all__ = ["SYSTEMS", "System"]
