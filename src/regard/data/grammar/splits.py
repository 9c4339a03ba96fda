"""Train, valid and test: which one a sentence belongs to, for ever.

A stable hash of the English tokens decides, so the splits cannot share a sentence, whatever the
seed; all French translations of one English sentence lie in one split.
"""

from collections.abc import Sequence
from hashlib import blake2b

from regard.errors import ChoiceError

SPLITS = ("train", "valid", "test")

# Of ten parts, the first is valid and the second is test.
_PARTS = 10
_HELD_OUT = {0: "valid", 1: "test"}

_ALWAYS_TRAIN = frozenset(
    {
        ("The", "black", "cat", "ate", "the", "mouse", "."),
        ("I", "love", "you", "."),
        ("red", "dress"),
    }
)


def split_of(source: Sequence[str]) -> str:
    """The split of an English token sequence: ``"train"``, ``"valid"`` or ``"test"``.

    Four fifths are train, a tenth each valid and test; the pairs of
    :func:`~regard.data.grammar.examples` are always train.
    """
    if tuple(source) in _ALWAYS_TRAIN:
        return "train"
    digest = blake2b("\n".join(source).encode(), digest_size=4).digest()
    return _HELD_OUT.get(int.from_bytes(digest, "big") % _PARTS, "train")


def known_split(split: str) -> str:
    """``split`` itself.

    Raises:
        ChoiceError: there is no such split.
    """
    if split not in SPLITS:
        raise ChoiceError(
            f"the grammar has the splits {', '.join(SPLITS)}, got {split!r}; choose one of them"
        )
    return split
