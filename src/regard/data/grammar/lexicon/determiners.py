"""Determiners, each a row of parts with one meaning in both languages; and pronouns."""

from typing import NamedTuple

from ..words import ADJ, DET, NUM, PRON, Agreement, Word
from .particles import NUMBERS
from .table import Row, rows


class Part(NamedTuple):
    """One meaning of a determiner.

    French forms stand in the order masculine, feminine, masculine plural, feminine plural.
    """

    english: tuple[tuple[Word, ...], tuple[Word, ...]]
    """Singular and plural."""
    french: tuple[tuple[Word, ...], ...]
    before_vowel: tuple[tuple[Word, ...], ...]
    """The same four in front of a vowel sound: *cet*, *mon amie*."""
    before_adjective: tuple[tuple[Word, ...], ...] | None = None
    """The same four in front of an adjective, if that matters: *de grands chiens*."""


Determiner = tuple[Part, ...]


def _words(text: str, tag: str) -> tuple[Word, ...]:
    """The words of ``text``; one with a tag of its own is written ``autre:ADJ``."""
    pairs = (word.partition(":") for word in text.split())
    return tuple(Word(word, own or tag) for word, _, own in pairs)


def _part(
    english: str,
    french: str,
    *,
    english_tag: str = DET,
    french_tag: str = DET,
    before_vowel: str | None = None,
    before_adjective: str | None = None,
) -> Part:
    """``english`` as ``singular/plural``, French as four forms between slashes."""

    def four(forms: str) -> tuple[tuple[Word, ...], ...]:
        return tuple(_words(form, french_tag) for form in forms.split("/"))

    singular, plural = english.split("/") if "/" in english else (english, english)
    sides = (_words(singular, english_tag), _words(plural, english_tag))
    plain = four(french)
    vowel = four(before_vowel) if before_vowel else plain
    adjective = four(before_adjective) if before_adjective else None
    return Part(sides, plain, vowel, adjective)


def _possessive(english: str, french: str) -> Determiner:
    """*my*: ``mon/ma/mes/mes``; the feminine borrows *mon* before a vowel sound."""
    masculine, feminine, plural = french.split("/")
    before_vowel = f"{masculine}/{masculine}/{plural}/{plural}"
    forms = f"{masculine}/{feminine}/{plural}/{plural}"
    return (_part(english, forms, english_tag=PRON, before_vowel=before_vowel),)


_the = _part("the", "le/la/les/les")

BARE: Determiner = ()
THE: Determiner = (_the,)
A: Determiner = (_part("a", "un/une/-/-"),)
SOME: Determiner = (_part("some", "-/-/des/des", before_adjective="-/-/de/de"),)
SOME_STUFF: Determiner = (_part("some", "de le/de la/-/-"),)
NOT_A: Determiner = (_part("a", "de/de/de/de"),)
NOT_ANY: Determiner = (_part("any", "de/de/de/de"),)
NO: Determiner = (_part("no", "de/de/de/de"),)
THIS: Determiner = (_part("this/these", "ce/cette/ces/ces", before_vowel="cet/cette/ces/ces"),)
EACH: Determiner = (_part("each", "chaque/chaque/-/-"),)
ANOTHER: Determiner = (_part("another", "un autre:ADJ/une autre:ADJ/-/-"),)
SEVERAL: Determiner = (_part("several", "-/-/plusieurs/plusieurs", english_tag=ADJ),)
A_FEW: Determiner = (_part("a few:ADJ", "-/-/quelques/quelques"),)
MANY: Determiner = (_part("/many:ADJ", "//beaucoup:ADV de:ADP/beaucoup:ADV de:ADP"),)
ALL_THE: Determiner = (_part("all", "tout/toute/tous/toutes"), _the)
WHICH: Determiner = (_part("which", "quel/quelle/quels/quelles"),)

MY = _possessive("my", "mon/ma/mes")
HIS = _possessive("his", "son/sa/ses")
HER = _possessive("her", "son/sa/ses")
OUR = _possessive("our", "notre/notre/nos")
THEIR = _possessive("their", "leur/leur/leurs")
YOUR = _possessive("your", "ton/ta/tes")
YOUR_FORMAL = _possessive("your", "votre/votre/vos")

COUNTED: tuple[Determiner, ...] = tuple(
    (_part(english, "/".join([french] * 4), english_tag=NUM, french_tag=NUM),)
    for english, french in NUMBERS
)
THE_COUNTED: tuple[Determiner, ...] = tuple((_the, *counted) for counted in COUNTED[:9])

POSSESSIVE = (MY, HIS, HER, OUR, THEIR, YOUR)


class Pool(NamedTuple):
    """The determiners that may open a phrase; repeated ones are likelier."""

    singular: tuple[Determiner, ...]
    plural: tuple[Determiner, ...]
    stuff: tuple[Determiner, ...]


_owned = (THE, THE, THE, THE, THE, THE, THIS, THIS, *POSSESSIVE)

DEFINITE = Pool(_owned, (*_owned, *THE_COUNTED), _owned)
"""What is known already."""

SUBJECT = Pool(
    (*_owned, A, A, A, EACH, ANOTHER),
    (*_owned, SOME, SOME, SEVERAL, A_FEW, MANY, ALL_THE, *COUNTED[::4], *THE_COUNTED[::4]),
    _owned,
)
OPEN = Pool(
    (*SUBJECT.singular, A, A, A),
    (*SUBJECT.plural, SOME, SOME, *COUNTED[::2]),
    (*_owned, *[SOME_STUFF] * 8),
)
"""All there is."""

DENIED = Pool(
    (*_owned, *[NOT_A] * 8), (*_owned, *[NOT_ANY] * 8, *COUNTED[::8]), (*_owned, *[NOT_ANY] * 8)
)
"""Objects of a denied verb, where *a*, *any* become *de*."""


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
