"""Visual question answering as a task: a picture and a question to an answer.

>>> regard.load("scene-vqa")("what color is the circle?", "picture.png").answer
'red'

Names are loaded when first used: who answers needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "AnsweredQuestion": "sample",
    "PictureAnswerer": "predictor",
    "Question": "predictor",
    "QuestionFiles": "data",
    "SceneQuestions": "data",
    "VisualQuestionAnsweringTask": "task",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .data import QuestionFiles as QuestionFiles
    from .data import SceneQuestions as SceneQuestions
    from .predictor import PictureAnswerer as PictureAnswerer
    from .predictor import Question as Question
    from .recipe import recipe as recipe
    from .sample import AnsweredQuestion as AnsweredQuestion
    from .task import VisualQuestionAnsweringTask as VisualQuestionAnsweringTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
