"""Masks: which keys may a query attend to? True = may attend."""

from regard.registry import Registry
from regard.types import Tensor

from .algebra import And as And
from .algebra import Not as Not
from .algebra import Or as Or
from .algebra import as_mask as as_mask
from .base import EMPTY as EMPTY
from .base import FULL as FULL
from .base import PARTIAL as PARTIAL
from .base import Mask as Mask
from .base import Reach as Reach
from .base import Spans as Spans
from .causal import Causal as Causal
from .causal import causal as causal
from .causal import prefix as prefix
from .dense import Dense as Dense
from .dense import dense as dense
from .document import Document as Document
from .document import document as document
from .padding import Padding as Padding
from .padding import padding as padding
from .shifted import Shifted as Shifted
from .sparse import Blocks as Blocks
from .sparse import GlobalTokens as GlobalTokens
from .sparse import Strided as Strided
from .sparse import blocks as blocks
from .sparse import global_tokens as global_tokens
from .sparse import strided as strided
from .window import Window as Window
from .window import window as window

named: Registry[Mask] = Registry(
    "mask",
    {
        "blocks": "masks.blocks(size)",
        "dense": "masks.dense(tensor)",
        "document": "masks.document(ids)",
        "global_tokens": "masks.global_tokens(positions)",
        "padding": "masks.padding(lengths)",
        "prefix": "masks.prefix(n)",
        "strided": "masks.strided(stride)",
        "window": "masks.window(left, right)",
    },
)
named.add("causal", causal())


def resolve(mask: Mask | Tensor | str | None) -> Mask | None:
    """A mask from whatever a user may pass: a value, a boolean tensor, a name, or nothing.

    Raises:
        ChoiceError: no such name, or one that cannot do without a parameter.
        DtypeError: something that is no mask.
    """
    if mask is None:
        return None
    if not isinstance(mask, str):
        return as_mask(mask)
    return named[mask]
