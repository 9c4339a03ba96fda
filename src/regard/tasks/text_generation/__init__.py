"""Text generation as a task: what comes next, from plain text.

>>> launch(*recipe("gpt-tiny", TextGenerationTask()), ...)
>>> regard.load("run")("Once upon").text

Names are loaded when first used: who generates needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "FileText": "data",
    "Generated": "sample",
    "Generator": "predictor",
    "GrammarText": "data",
    "TextCodec": "codec",
    "TextGenerationTask": "task",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .codec import TextCodec as TextCodec
    from .data import FileText as FileText
    from .data import GrammarText as GrammarText
    from .predictor import Generator as Generator
    from .recipe import recipe as recipe
    from .sample import Generated as Generated
    from .task import TextGenerationTask as TextGenerationTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
