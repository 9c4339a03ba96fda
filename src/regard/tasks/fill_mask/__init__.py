"""Fill-mask as a task: hidden tokens of running text, guessed from what stands around them.

>>> run = regard.train("novels.txt", "bert-small", task="fill-mask", minutes=60)
>>> run.predictor("The cat [MASK] on the mat.")

Names are loaded when first used: who fills needs nothing of training.
"""

from typing import TYPE_CHECKING

__all__ = ["FillMaskTask", "Filled", "Filler", "recipe"]

if TYPE_CHECKING:
    from .predictor import Filler as Filler
    from .recipe import recipe as recipe
    from .sample import Filled as Filled
    from .task import FillMaskTask as FillMaskTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "FillMaskTask": "task",
            "Filled": "sample",
            "Filler": "predictor",
            "recipe": "recipe",
        },
    )
