"""Our own English-French grammar: endless sentence pairs with gold alignments and tags."""

from .examples import examples as examples
from .examples import verb_forms as verb_forms
from .generator import SPLITS as SPLITS
from .generator import Grammar as Grammar
from .generator import split_of as split_of
from .pair import Pair as Pair
from .pair import text as text
from .pair import tokens as tokens
from .words import TAGS as TAGS
from .words import UNALIGNED as UNALIGNED

__all__ = [
    "SPLITS",
    "TAGS",
    "UNALIGNED",
    "Grammar",
    "Pair",
    "examples",
    "split_of",
    "text",
    "tokens",
    "verb_forms",
]
