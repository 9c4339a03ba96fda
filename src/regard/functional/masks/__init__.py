"""Masks: which keys may a query attend to? True = may attend."""

from .base import EMPTY as EMPTY
from .base import FULL as FULL
from .base import PARTIAL as PARTIAL
from .base import And as And
from .base import Mask as Mask
from .base import Not as Not
from .base import Or as Or
from .base import Reach as Reach
from .base import Spans as Spans
from .base import as_mask as as_mask
from .base import named as named
from .base import resolve as resolve
from .causal import Causal as Causal
from .causal import Window as Window
from .causal import causal as causal
from .causal import prefix as prefix
from .causal import window as window
from .dense import Dense as Dense
from .dense import dense as dense
from .padding import Document as Document
from .padding import Padding as Padding
from .padding import document as document
from .padding import padding as padding
from .shifted import Shifted as Shifted
from .sparse import Blocks as Blocks
from .sparse import GlobalTokens as GlobalTokens
from .sparse import Strided as Strided
from .sparse import blocks as blocks
from .sparse import global_tokens as global_tokens
from .sparse import strided as strided

named.add("causal", causal())
