"""Where pieces and words stand in a text, and which of them touch."""

from collections.abc import Sequence

from regard.errors import InputError

from .splitting import tokens

Span = tuple[int, int]
"""The first character, and the one behind the last."""


def word_spans(text: str, words: Sequence[str] | None = None) -> list[Span]:
    """Where ``words`` stand in ``text``; without them, where those between spaces do.

    Raises:
        InputError: a word that is not in the text after the one before it.
    """
    found: list[Span] = []
    end = 0
    for word in text.split() if words is None else words:
        start = text.find(word, end)
        if start < 0:
            raise InputError(f"the word {word!r} is not in {text!r} behind character {end}")
        end = start + len(word)
        found.append((start, end))
    return found


def touching(pieces: Sequence[Span], words: Sequence[Span]) -> list[range]:
    """For every word the pieces that share a character with it; both are in order of the text.

    A piece without a character, such as a space before the text, belongs to the word behind it.
    """
    if pieces == words:  # nearly always, where pieces are words
        return [range(place, place + 1) for place in range(len(words))]
    found: list[range] = []
    first = 0
    for start, end in words:
        while first < len(pieces) and max(pieces[first][1], pieces[first][0] + 1) <= start:
            first += 1
        last = first
        while last < len(pieces) and pieces[last][0] < end:
            last += 1
        found.append(range(first, last))
    return found


def words_of(text: str, pieces: Sequence[Span]) -> list[int]:
    """The number of the first word that each piece touches; a piece of space goes to the next."""
    words = [(token.start, token.end) for token in tokens(text) if token.kind != "space"]
    found: list[int] = []
    word = 0
    for start, _ in pieces:
        while word < len(words) - 1 and words[word][1] <= start:
            word += 1
        found.append(word)
    return found
