"""A second sentence, where a mechanism looks from one at another."""

from torch import Tensor

from regard.lens.examples import sentence
from regard.positions import Sinusoidal

FRENCH = ("Le", "chat", "noir", "a", "mangé", "la", "souris")
LINKS = (0, 2, 1, 3, 3, 4, 5)
"""Which English word each French one translates."""


def french() -> Tensor:
    """(7, 8): every French word has the vector of the English one it translates."""
    return sentence()[list(LINKS)]


def placed() -> tuple[Tensor, Tensor]:
    """The French words and the English ones, with sinusoids that say where each stands."""
    place = Sinusoidal(8)
    return place(french()), place(sentence())
