"""Word vectors as a task: words that stand in the same company come to lie together.

>>> run = regard.train("novels.txt", task="word-vectors", minutes=3)
>>> run.predictor.space.nearest("cat")

Names are loaded when first used: who asks for vectors needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "WordEmbedder": "predictor",
    "WordVectorsTask": "task",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .predictor import WordEmbedder as WordEmbedder
    from .recipe import recipe as recipe
    from .task import WordVectorsTask as WordVectorsTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
