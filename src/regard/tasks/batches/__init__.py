"""Batches of similar length under a token budget; stateful, and shared out among ranks."""

from .alignment import Alignment as Alignment
from .alignment import Side as Side
from .alignment import side as side
from .alignment import to_tokens as to_tokens
from .alignment import to_words as to_words
from .batch import Batch as Batch
from .batch import nothing as nothing
from .corpus import Corpus as Corpus
from .corpus import encode as encode
from .example import Example as Example
from .example import from_text as from_text
from .example import from_words as from_words
from .phrases import with_phrases as with_phrases
from .pools import EndlessPools as EndlessPools
from .pools import FinitePools as FinitePools
from .pools import Pools as Pools
from .stream import BatchConfig as BatchConfig
from .stream import Batches as Batches

__all__ = [
    "Alignment",
    "Batch",
    "BatchConfig",
    "Batches",
    "Corpus",
    "EndlessPools",
    "Example",
    "FinitePools",
    "Pools",
    "Side",
    "encode",
    "from_text",
    "from_words",
    "nothing",
    "side",
    "to_tokens",
    "to_words",
    "with_phrases",
]
