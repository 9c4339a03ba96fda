"""Masks: which keys may a query attend to? True = may attend."""

from regard.errors import ChoiceError
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

named: Registry[Mask] = Registry("mask")
named.add("causal", causal())

_NEED_PARAMETERS = {
    "window": "window(left, right)",
    "padding": "padding(lengths)",
    "document": "document(ids)",
    "prefix": "prefix(n)",
    "strided": "strided(stride)",
    "blocks": "blocks(size)",
    "global_tokens": "global_tokens(positions)",
    "dense": "dense(tensor)",
}


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
    if mask in _NEED_PARAMETERS:
        raise ChoiceError(
            f"the mask {mask!r} has parameters: pass masks.{_NEED_PARAMETERS[mask]} "
            "instead of the name"
        )
    return named[mask]
