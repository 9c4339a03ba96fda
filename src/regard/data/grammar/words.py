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


_FRENCH_VOWELS = frozenset("aàâeéèêëiîïoôœuùûühAÀÂEÉÈÊËIÎÏOÔŒUÙÛÜH")

# Written with h but said as if with a consonant; the two numbers refuse elision as well.
ASPIRATED = frozenset(
    {"héros", "hibou", "hiboux", "hérisson", "hérissons", "haricot", "haricots"}
    | {"hache", "haches", "haut", "haute", "hauts", "hautes", "huit", "onze"}
)

_AN_DESPITE_CONSONANT = frozenset({"honest"})
_A_DESPITE_VOWEL = frozenset({"uniform", "university", "useful"})


def starts_with_vowel_sound(word: str) -> bool:
    """Whether the French ``word`` makes the word before it lose its vowel: l'homme, le héros."""
    return (word[:1] in _FRENCH_VOWELS or word == "y") and word not in ASPIRATED


def takes_an(word: str) -> bool:
    """Whether English says *an* before ``word``: an apple, an honest man, a uniform."""
    if word in _AN_DESPITE_CONSONANT:
        return True
    return word[0] in "aeiouAEIOU" and word not in _A_DESPITE_VOWEL
