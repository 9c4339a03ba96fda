"""Tokens to running text and back, for each language.

Clitics (*l'*, *qu'*, *'s*, *-ce*) and punctuation are tokens of their own; *aujourd'hui* is one.
"""

import re
from collections.abc import Sequence

from regard.errors import ChoiceError

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
