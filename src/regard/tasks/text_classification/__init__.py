"""Text classification as a task: a text to one label, N → 1.

>>> regard.load("run")("A warm, funny, engaging film.").label
'positive'

Names are loaded when first used: who classifies needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "ClassifiedText": "sample",
    "LabelledFiles": "data",
    "LabelledGrammar": "data",
    "TextClassificationTask": "task",
    "TextClassifier": "predictor",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .data import LabelledFiles as LabelledFiles
    from .data import LabelledGrammar as LabelledGrammar
    from .predictor import TextClassifier as TextClassifier
    from .recipe import recipe as recipe
    from .sample import ClassifiedText as ClassifiedText
    from .task import TextClassificationTask as TextClassificationTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
