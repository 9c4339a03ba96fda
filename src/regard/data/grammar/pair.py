"""A sentence pair with its gold alignment and tags: French elision, running text and back.

Clitics (*l'*, *qu'*, *'s*, *-ce*) and punctuation are tokens of their own; *aujourd'hui* is one.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from regard.errors import ChoiceError

from .words import DET, Word, starts_with_vowel_sound, takes_an

LANGUAGES = ("en", "fr")

_NO_SPACE_BEFORE = {"en": frozenset(".,?!;"), "fr": frozenset(".,")}
_TOKENS = {
    "en": re.compile(r"'s\b|[\w-]+|[.,?!;]"),
    "fr": re.compile(
        r"-ce\b|\b(?:[cdjlmnst]|qu)'|aujourd'hui|\w+?(?=-ce\b)|[\w-]+|[.,?!;]", re.IGNORECASE
    ),
}


def text(tokens: Sequence[str], language: str) -> str:
    """Running text: *Je t'aime.*, *Est-ce qu'il dort ?*, *Mary's cat*.

    Args:
        tokens: one side of a :class:`~regard.data.grammar.Pair`.
        language: ``"en"`` or ``"fr"``; French has a space before *?*, *!* and *;*.

    Raises:
        ChoiceError: another language.
    """
    tight = _NO_SPACE_BEFORE[_known(language)]
    pieces: list[str] = []
    for token in tokens:
        glued = token in tight or token in ("'s", "-ce")
        if pieces and not glued and not (language == "fr" and pieces[-1].endswith("'")):
            pieces.append(" ")
        pieces.append(token)
    return "".join(pieces)


def tokens(text: str, language: str) -> tuple[str, ...]:
    """The tokens of a text of this grammar; undoes :func:`text`.

    Raises:
        ChoiceError: a language other than ``"en"`` and ``"fr"``.
    """
    return tuple(_TOKENS[_known(language)].findall(text))


def _known(language: str) -> str:
    if language not in LANGUAGES:
        raise ChoiceError(
            f"the grammar speaks 'en' and 'fr', got language {language!r}; use one of the two"
        )
    return language


_ELIDED = {
    "le": "l'",
    "la": "l'",
    "de": "d'",
    "que": "qu'",
    "je": "j'",
    "me": "m'",
    "te": "t'",
    "se": "s'",
    "ne": "n'",
}
_CONTRACTED = {
    ("de", "le"): "du",
    ("de", "les"): "des",
    ("à", "le"): "au",
    ("à", "les"): "aux",
}


def contract_and_elide(words: list[Word]) -> list[Word]:
    """``words`` as French writes them one after the other.

    A contracted word keeps the tag of its preposition and the links of both, so *of the* is
    aligned with *du*. Only articles contract: the pronoun of *à le voir* stays.
    """
    result: list[Word] = []
    skip = False
    following = iter([*words[1:], None])
    after = [*words[2:], None, None]
    for word, second, third in zip(words, following, after, strict=True):
        if skip:
            skip = False
            continue
        if second is None:
            result.append(word)
            break
        contracted = _contracted(word, second, third)
        if contracted is not None:
            result.append(contracted)
            skip = True
        else:
            result.append(_elided(word, second))
    return result


def _contracted(word: Word, article: Word, third: Word | None) -> Word | None:
    """*du*, *des*, *au* or *aux* where ``word`` and ``article`` melt, else None."""
    if word.text not in ("de", "à") or article.tag != DET:
        return None
    text = _CONTRACTED.get((word.text, article.text))
    if text is None:
        return None
    if article.text == "le" and third is not None and starts_with_vowel_sound(third.text):
        return None
    return Word(text, word.tag, tuple(sorted({*word.links, *article.links})))


def _elided(word: Word, second: Word) -> Word:
    """``word`` without its last vowel if ``second`` asks for that."""
    if word.text == "si" and second.text in ("il", "ils"):
        return word._replace(text="s'")
    short = _ELIDED.get(word.text)
    if short is None or not starts_with_vowel_sound(second.text):
        return word
    return word._replace(text=short)


class Pair(NamedTuple):
    """An English source and its French translation, word by word."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: frozenset[tuple[int, int]]
    """Links between source and target positions, counted from 0."""
    source_tags: tuple[str, ...]
    target_tags: tuple[str, ...]

    @property
    def source_text(self) -> str:
        """The English sentence as running text."""
        return text(self.source, "en")

    @property
    def target_text(self) -> str:
        """The French sentence as running text."""
        return text(self.target, "fr")


def source_words(words: list[Word], *, sentence: bool) -> list[Word]:
    """English as it is written: *an* before a vowel sound, a capital at the start."""
    written = [
        word._replace(text="an") if word.text == "a" and takes_an(second.text) else word
        for word, second in pairwise(words)
    ]
    return _capitalised([*written, words[-1]]) if sentence else [*written, words[-1]]


def target_words(words: list[Word], *, sentence: bool) -> list[Word]:
    """French as it is written: contracted, elided, a capital at the start."""
    written = contract_and_elide(words)
    return _capitalised(written) if sentence else written


def align(source: list[Word], target: list[Word]) -> Pair:
    """The pair of two word lists; words that share a link are aligned."""
    places: dict[int, list[int]] = {}
    for position, word in enumerate(target):
        for link in word.links:
            places.setdefault(link, []).append(position)
    alignment = frozenset(
        (position, place)
        for position, word in enumerate(source)
        for link in word.links
        for place in places.get(link, ())
    )
    return Pair(
        tuple([word.text for word in source]),
        tuple([word.text for word in target]),
        alignment,
        tuple([word.tag for word in source]),
        tuple([word.tag for word in target]),
    )


def _capitalised(words: list[Word]) -> list[Word]:
    """``words`` with a capital at the start."""
    first = words[0]
    return [first._replace(text=first.text[0].upper() + first.text[1:]), *words[1:]]
