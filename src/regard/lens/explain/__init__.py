"""Every step of one attention, as data that prints itself."""

from .compute import explain as explain
from .record import Explanation as Explanation
from .record import Step as Step
