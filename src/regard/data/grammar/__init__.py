"""Our own English-French grammar: endless sentence pairs with gold alignments and tags."""

from .examples import examples as examples
from .forms import verb_forms as verb_forms
from .generator import Grammar as Grammar
from .pair import Pair as Pair
from .splits import SPLITS as SPLITS
from .splits import split_of as split_of
from .text import text as text
from .text import tokens as tokens
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
