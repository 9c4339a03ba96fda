"""Translation as a task: pairs of sentences, and what turns one side into the other.

>>> settings, changes = recipe("bahdanau-small", GrammarData())
>>> launch(settings, "bahdanau-small", "run", changes=changes)
>>> load_translator("run").translate(["The black cat ate the mouse."])

Names are loaded when first used: who translates needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "Data": "config",
    "FileData": "files",
    "GrammarData": "grammar",
    "HeldOut": "example",
    "LossConfig": "config",
    "Translation": "sample",
    "TranslationTask": "task",
    "Translator": "predictor",
    "VocabularyConfig": "task",
    "load_translator": "predictor",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .config import Data as Data
    from .config import LossConfig as LossConfig
    from .example import HeldOut as HeldOut
    from .files import FileData as FileData
    from .grammar import GrammarData as GrammarData
    from .predictor import Translator as Translator
    from .predictor import load_translator as load_translator
    from .recipe import recipe as recipe
    from .sample import Translation as Translation
    from .task import TranslationTask as TranslationTask
    from .task import VocabularyConfig as VocabularyConfig
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
