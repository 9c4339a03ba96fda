"""From text to text: a model with its vocabularies.

>>> translator.translate(["The black cat ate the mouse."])[0].text
"""

from .translation import Translation as Translation
from .translator import Translator as Translator

__all__ = ["Translation", "Translator"]
