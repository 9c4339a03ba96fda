"""Fill-mask as a task: hidden tokens of running text, guessed from what stands around them.

>>> run = regard.train("novels.txt", "bert-small", task="fill-mask", minutes=60)
>>> run.predictor("The cat [MASK] on the mat.")

Names are loaded when first used: who fills needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "FillMaskTask": "task",
    "Filled": "sample",
    "Filler": "predictor",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .predictor import Filler as Filler
    from .recipe import recipe as recipe
    from .sample import Filled as Filled
    from .task import FillMaskTask as FillMaskTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
