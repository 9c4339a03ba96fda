"""Translation as a task: where pairs come from, and the ones kept back to measure by."""

from .config import Data as Data
from .files import FileData as FileData
from .grammar import GrammarData as GrammarData
from .held_out import HeldOut as HeldOut
from .vocabulary import VocabularyConfig as VocabularyConfig

__all__ = ["Data", "FileData", "GrammarData", "HeldOut", "VocabularyConfig"]
