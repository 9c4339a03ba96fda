"""Tagging as a task: words to one tag each, N → N.

>>> launch(recipe("bilstm-tagger", TaggingTask(data=TaggedFiles(train="train.conllu"))).settings, …)
>>> regard.load("run")("The cat sat.").tags
('DET', 'NOUN', 'VERB', 'PUNCT')

Names are loaded when first used: who tags needs nothing of training.
"""

from typing import TYPE_CHECKING

HOMES = {
    "TaggedFiles": "data",
    "TaggedGrammar": "data",
    "TaggedText": "sample",
    "TaggingTask": "task",
    "TextTagger": "predictor",
    "recipe": "recipe",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .data import TaggedFiles as TaggedFiles
    from .data import TaggedGrammar as TaggedGrammar
    from .predictor import TextTagger as TextTagger
    from .recipe import recipe as recipe
    from .sample import TaggedText as TaggedText
    from .task import TaggingTask as TaggingTask
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
