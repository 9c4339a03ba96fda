"""Whom a sentence speaks to, politely or to several: what makes *you* into *vous*."""

from typing import NamedTuple

from ..words import DET, Agreement, Word


class Address(NamedTuple):
    """Words before the comma, and who is meant."""

    english: str
    french: str
    determiner: Word | None
    """A French article without counterpart."""
    agreement: Agreement


def _address(
    english: str, french: str, *, feminine: bool = False, plural: bool = False, article: str = ""
) -> Address:
    determiner = Word(article, DET) if article else None
    return Address(english, french, determiner, Agreement(4, feminine, plural))


ADDRESSES = (
    _address("sir", "monsieur"),
    _address("madam", "madame", feminine=True),
    _address("gentlemen", "messieurs", plural=True),
    _address("ladies", "mesdames", feminine=True, plural=True),
    _address("children", "enfants", plural=True, article="les"),
)
