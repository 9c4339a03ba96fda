"""English as it is typed, in words that a model of clean sentences knows better.

Whoever types a line greets, leaves out apostrophes and writes *u* for *you*. Each of these is but
one more reading: the model says which of them it makes most of.
"""

import re
from collections.abc import Iterator

from regard.data.vocabulary import Span

_PARTS = {
    "t": "don can won isn aren wasn weren didn doesn haven hasn hadn couldn shouldn wouldn",
    "s": "what that where who",
    "re": "you they",
    "m": "I",
    "ve": "I you",
}
SHORT = {
    f"{stem}{end}".lower(): f"{stem}'{end}"
    for end, stems in _PARTS.items()
    for stem in stems.split()
} | {
    "u": "you",
    "r": "are",
    "ur": "your",
    "pls": "please",
    "plz": "please",
    "thx": "thanks",
    "gonna": "going to",
    "wanna": "want to",
    "gotta": "have to",
    "tmrw": "tomorrow",
    "km": "kilometers",
    "kms": "kilometers",
    "kg": "kilograms",
    "cm": "centimeters",
}
"""Words that are often typed without their apostrophe, or shorter."""
POLITE = {
    "hello": "good morning",
    "hi": "good morning",
    "hey": "good morning",
    "thanks": "thank you",
    "many thanks": "thank you very much",
    "thanks a lot": "thank you very much",
    "nice to meet you": "I'm pleased to meet you",
    "good evening": "good evening to you",
    "happy birthday": "I wish you a happy birthday",
    "happy new year": "I wish you a happy new year",
    "bye": "see you soon",
    "goodbye": "see you soon",
    "see you": "see you soon",
}
"""What a sentence begins with, and another way to say it."""

_WORD = re.compile(r"[^\W\d_]+")
_POLITE = re.compile(
    rf"(?:{'|'.join(sorted(POLITE, key=len, reverse=True))})(?=\s*(?:[,.!?]|$|(?-i:[A-Z])|for\b))",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"!{2,}|\?{2,}|[!?]*\?![!?]*|!+\?[!?]*")


def spelt_out(sentence: str) -> list[tuple[Span, str]]:
    """Short words of a sentence, and what they stand for."""
    degrees = [(one.span(), " degrees") for one in re.finditer(r"(?<=\d)\s?\u00b0[CF]?", sentence)]
    return degrees + [
        (word.span(), SHORT[word[0].lower()])
        for word in _WORD.finditer(sentence)
        if word[0].lower() in SHORT
        and not any(start <= word.start() < end for (start, end), _ in degrees)
        and not _is_joined(sentence, word.span())
    ]


def _is_joined(sentence: str, span: Span) -> bool:
    """Whether a mark ties it to another word: the *U* of *U.S.*, the *r* of *R&D*."""
    around = sentence[: span[0]][-1:] + sentence[span[1] :][:1]
    return (
        any(mark in "-&'\u2019/" for mark in around)
        or re.match(r"\.\w", sentence[span[1] :]) is not None
    )


def politely(sentence: str) -> Iterator[tuple[Span, str]]:
    """A greeting at the beginning, as it may be said in other words."""
    if found := _POLITE.match(sentence):
        other = POLITE[found[0].lower()]
        yield found.span(), other[0].upper() + other[1:] if found[0][0].isupper() else other


def unquoted(sentence: str) -> Iterator[tuple[Span, str]]:
    """Quotes within a sentence, left out."""
    for found in re.finditer(r"""["\u201c\u201d]""", sentence):
        yield found.span(), ""


def single_marks(sentence: str) -> Iterator[tuple[Span, str]]:
    """Marks of which one would do."""
    for found in _AGAIN.finditer(sentence):
        yield found.span(), "?" if "?" in found[0] else "!"
