"""Question answering as a task: a passage and a question to a span of it, or to a word.

>>> regard.load("en-reader")(passage="Anna came in 1987.", question="When did Anna come?").answer
'1987'

Names are loaded when first used: who asks needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "Answered": "sample",
    "QuestionAnsweringTask": "task",
    "QuestionFiles": "data",
    "Reader": "predictor",
    "ToldStories": "data",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .data import QuestionFiles as QuestionFiles
    from .data import ToldStories as ToldStories
    from .predictor import Reader as Reader
    from .recipe import recipe as recipe
    from .sample import Answered as Answered
    from .task import QuestionAnsweringTask as QuestionAnsweringTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
