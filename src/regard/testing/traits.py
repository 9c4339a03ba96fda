"""Traits of a module under test: given by the user, or read from its attributes."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypedDict

from torch import nn

from regard.errors import ChoiceError
from regard.functional.masks import Mask

Total = Literal["one", "at most one", "anything"]
"""What the weights of a query sum to."""

Masks = Literal["pairs", "keys", "none"]
"""What a mask can forbid: any pair of query and key, a key to all queries, or nothing."""


class Traits(TypedDict, total=False):
    """What cannot be seen from outside; each is read from the module where it is not given."""

    query_dim: int
    """Width of queries, or of the one input of self attention. Read from ``query_dim``,
    ``model_dim``, ``input_dim``, ``embed_dim`` or ``dim``."""
    key_dim: int
    """Width of keys. Read from ``key_dim`` or ``kdim``; else as the queries."""
    value_dim: int
    """Width of values. Read from ``value_dim`` or ``vdim``; else as the keys."""
    num_keys: int
    """How many keys to test with, at least 3. Read from ``max_length`` if it is below 5; else 5."""
    itself: bool
    """For a ``call`` of your own: whether queries, keys and values are one sequence (self
    attention)."""
    masks: Masks
    """For a ``call`` of your own: what its ``allowed`` can forbid; any pair, if not said."""
    causal: bool
    """Whether no position sees a later one. Read from ``causal``, or from a regard mask at
    ``mask``."""
    ordered: bool
    """Whether the order of the keys matters, as it does with positions. Read from ``position``."""
    total: Total
    """What the weights of a query sum to. Read from ``normalise``; else one."""
    pooled: bool
    """Whether the context is a linear map of weights @ values, with no gate behind it."""


class Sizes(NamedTuple):
    """Sizes of the inputs, all different so that a swapped axis shows."""

    batch: int
    num_queries: int
    num_keys: int
    query_dim: int
    key_dim: int
    value_dim: int


TOTALS: Mapping[str, Total] = dict.fromkeys(("relu", "sigmoid", "mean", "mean_relu"), "anything")
"""Normalisers whose weights do not sum to one."""

QUERY_WIDTHS = ("query_dim", "model_dim", "input_dim", "embed_dim", "dim")
MOST_KEYS, FEWEST_KEYS, NUM_QUERIES = 5, 3, 2


def sizes_of(module: nn.Module, traits: Traits) -> Sizes:
    """Sizes that fit the module.

    Raises:
        ChoiceError: a width is neither given nor to be read.
    """
    query_dim = traits.get("query_dim", _first(module, QUERY_WIDTHS))
    if query_dim is None:
        raise ChoiceError(
            f"check_attention needs the width of the inputs, and {type(module).__name__} has none "
            f"of the attributes {', '.join(QUERY_WIDTHS)}; pass query_dim=…"
        )
    key_dim = traits.get("key_dim", _first(module, ("key_dim", "kdim"))) or query_dim
    value_dim = traits.get("value_dim", _first(module, ("value_dim", "vdim"))) or key_dim
    longest = _first(module, ("max_length",)) or MOST_KEYS
    num_keys = traits.get("num_keys", min(MOST_KEYS, longest))
    if num_keys < FEWEST_KEYS:
        raise ChoiceError(
            f"check_attention needs at least {FEWEST_KEYS} keys to tell anything, got {num_keys}"
        )
    # A batch as large as the heads would let a mask broadcast over the wrong axis unseen.
    taken = {getattr(module, "num_heads", None), num_keys}
    batch = next(size for size in (3, 4, 5, 7) if size not in taken)
    return Sizes(batch, NUM_QUERIES, num_keys, query_dim, key_dim, value_dim)


def is_causal(module: nn.Module, traits: Traits) -> bool:
    """As said, or as the module says of itself."""
    mask = getattr(module, "mask", None)
    own = getattr(module, "causal", None) is True
    return traits.get("causal", own or (isinstance(mask, Mask) and mask.looks_back))


def is_ordered(module: nn.Module, traits: Traits) -> bool:
    """As said; with positions or a fixed mask, order matters."""
    own = any(getattr(module, name, None) is not None for name in ("position", "mask"))
    return traits.get("ordered", own)


def total_of(module: nn.Module, traits: Traits) -> Total:
    """As said, or by the module's normaliser."""
    normaliser = getattr(module, "normalise", "softmax")
    name = normaliser if isinstance(normaliser, str) else getattr(normaliser, "name", "softmax")
    return traits.get("total", TOTALS.get(str(name), "one"))


def _first(module: nn.Module, names: tuple[str, ...]) -> int | None:
    found = (getattr(module, name, None) for name in names)
    whole = (size for size in found if isinstance(size, int) and not isinstance(size, bool))
    return next(whole, None)
