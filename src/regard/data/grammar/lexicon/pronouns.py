"""Personal pronouns, and the forms of address which make *you* into *vous*."""

from typing import NamedTuple

from ..words import DET, Agreement, Word
from .table import Row, rows


class Pronoun(NamedTuple):
    """One person of the conversation or of the world."""

    subject: tuple[str, str]
    direct: tuple[str, str]
    indirect: tuple[str, str]
    strong: tuple[str, str]
    """After a preposition."""
    agreement: Agreement

    @property
    def speaks_of(self) -> int:
        """First, second or third person: 0, 1 or 2."""
        return self.agreement.person % 3


class Address(NamedTuple):
    """Words before the comma, and who is meant, politely or several."""

    english: str
    french: str
    determiner: Word | None
    """A French article without counterpart."""
    agreement: Agreement


def _pronoun(row: Row) -> Pronoun:
    other = row["english_object"]
    return Pronoun(
        (row["english"], row["subject"]),
        (other, row["direct"]),
        (other, row["indirect"]),
        (other, row["strong"]),
        Agreement(int(row["person"]), row["gender"] == "f", row["number"] == "p"),
    )


def _address(row: Row) -> Address:
    determiner = Word(row["article"], DET) if row["article"] else None
    agreement = Agreement(4, row["gender"] == "f", row["number"] == "p")
    return Address(row["english"], row["french"], determiner, agreement)


PRONOUNS = tuple(_pronoun(row) for row in rows("pronouns"))
PRONOUN = {pronoun.subject[0]: pronoun for pronoun in PRONOUNS}
"""English subject form to pronoun."""

REFLEXIVE = ("me", "te", "se", "nous", "vous", "se")
ADDRESSES = tuple(_address(row) for row in rows("addresses"))

_VOUS = ("you", "vous")


def polite_you(agreement: Agreement) -> Pronoun:
    """*You* as *vous*, for whoever is addressed."""
    return Pronoun(_VOUS, _VOUS, _VOUS, _VOUS, agreement)
