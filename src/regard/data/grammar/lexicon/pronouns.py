"""Personal pronouns: subject, direct and indirect object, and after a preposition."""

from typing import NamedTuple

from ..words import Agreement
from .table import rows


class Pronoun(NamedTuple):
    """One person of the conversation or of the world."""

    subject: tuple[str, str]
    direct: tuple[str, str]
    indirect: tuple[str, str]
    strong: tuple[str, str]
    agreement: Agreement

    @property
    def speaks_of(self) -> int:
        """First, second or third person: 0, 1 or 2."""
        return self.agreement.person % 3


_PRONOUNS = """
I | me | je | me | me | moi | 0 | m | s
you | you | tu | te | te | toi | 1 | m | s
he | him | il | le | lui | lui | 2 | m | s
she | her | elle | la | lui | elle | 2 | f | s
we | us | nous | nous | nous | nous | 3 | m | p
they | them | ils | les | leur | eux | 5 | m | p
"""


def _pronoun(cells: list[str]) -> Pronoun:
    """One line: English subject and object, four French forms, person, gender and number."""
    subject, other, *french, person, gender, number = cells
    first, direct, indirect, strong = french
    agreement = Agreement(int(person), gender == "f", number == "p")
    return Pronoun((subject, first), (other, direct), (other, indirect), (other, strong), agreement)


PRONOUNS = tuple(_pronoun(cells) for cells in rows(_PRONOUNS))
PRONOUN = {pronoun.subject[0]: pronoun for pronoun in PRONOUNS}
"""English subject form to pronoun."""

_VOUS = ("you", "vous")


def addressed(agreement: Agreement) -> Pronoun:
    """*You* as *vous*, for whoever is addressed."""
    return Pronoun(_VOUS, _VOUS, _VOUS, _VOUS, agreement)


REFLEXIVE = ("me", "te", "se", "nous", "vous", "se")
