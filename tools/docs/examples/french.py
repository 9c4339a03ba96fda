"""A second sentence, where a mechanism looks from one at another."""

from torch import Tensor

from regard.lens.examples import sentence

FRENCH = ("Le", "chat", "noir", "a", "mangé", "la", "souris")


def french() -> Tensor:
    """(7, 8): every French word has the vector of the English one it translates."""
    return sentence()[[0, 2, 1, 3, 3, 4, 5]]
