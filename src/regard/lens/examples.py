"""An example sentence whose word vectors are written by hand."""

import torch

from regard.types import Float, Tensor

FEATURES = ("article", "adjective", "noun", "verb", "animal", "hunter", "prey", "colour")
"""What each number of a word's vector says."""

_MEANING: dict[str, tuple[float, ...]] = {
    "the": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "black": (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    "cat": (0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.5),
    "ate": (0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 1.0, 0.0),
    "mouse": (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0),
}

WORDS = ("The", "black", "cat", "ate", "the", "mouse")


def sentence() -> Float[Tensor, "6 8"]:
    """The vectors of "The black cat ate the mouse", one row per word.

    They are written by hand, a number for each of ``FEATURES``, so that a map of weights over them
    can be read: *cat* is more like *mouse* than like *the*, *black* belongs to *cat*, the verb has
    something of who hunts and of who is hunted, and both *the* are alike.
    """
    return torch.tensor([_MEANING[word.lower()] for word in WORDS])
