"""Words on their way into a sentence: text, part of speech, and what they are linked by.

Every rule that makes words in both languages draws a link and gives it to the words that mean
the same thing. Two words are aligned if they share a link; nothing else aligns words.
"""

from typing import NamedTuple

ADJ, ADP, ADV, AUX = "ADJ", "ADP", "ADV", "AUX"
CCONJ, DET, INTJ, NOUN = "CCONJ", "DET", "INTJ", "NOUN"
NUM, PART, PRON, PROPN = "NUM", "PART", "PRON", "PROPN"
PUNCT, SCONJ, VERB = "PUNCT", "SCONJ", "VERB"

TAGS = frozenset(
    {ADJ, ADP, ADV, AUX, CCONJ, DET, INTJ, NOUN, NUM, PART, PRON, PROPN, PUNCT, SCONJ, VERB}
)
"""The universal part-of-speech tags that occur (https://universaldependencies.org/u/pos)."""


UNALIGNED = {"en": frozenset[str](), "fr": frozenset({"le", "la", "l'", "les"})}
"""Words that may have no counterpart: *Mary's cat*, **le** *chat de Marie*."""


class Word(NamedTuple):
    """One word of one language."""

    text: str
    tag: str
    links: tuple[int, ...] = ()


class Agreement(NamedTuple):
    """What a verb or an adjective agrees with."""

    person: int
    """Index into je, tu, il, nous, vous, ils."""
    feminine: bool
    plural: bool


class Phrase(NamedTuple):
    """The same thing said in both languages."""

    english: list[Word]
    french: list[Word]
    agreement: Agreement


class Clause(NamedTuple):
    """A subject and what is said of it, still apart, so that a question can come between."""

    subject: Phrase
    english: list[Word]
    """The verb and all that follows it; the auxiliary comes first."""
    french: list[Word]
