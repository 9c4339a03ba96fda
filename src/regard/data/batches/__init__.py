"""Batches of similar length under a token budget; stateful, and shared out among ranks."""

from .pools import Corpus as Corpus
from .pools import EndlessPools as EndlessPools
from .pools import FinitePools as FinitePools
from .pools import Pools as Pools
from .stream import BatchConfig as BatchConfig
from .stream import Batches as Batches

__all__ = ["BatchConfig", "Batches", "Corpus", "EndlessPools", "FinitePools", "Pools"]
