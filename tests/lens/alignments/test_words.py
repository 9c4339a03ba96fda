"""Words from anywhere: they show what they are and do nothing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.lens.words import bidi_isolate, direction, printable

ANY = st.text(st.characters(exclude_categories=()))
HEBREW, ARABIC = "\u05d7\u05ea\u05d5\u05dc", "\u0642\u0637\u0629"


@pytest.mark.parametrize(
    ("word", "seen"),
    [
        ("chat", "chat"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\x7f\x9b", "a␡␡"),
        ("two\nlines\u2028more", "two lines more"),
        ("\tx ", "x"),
        ("", "∅"),
        ("\u202eevil\u202c", "evil"),
        ("\ud800x", "\ufffdx"),
        (HEBREW, HEBREW),
        ("👩\u200d🚀", "👩\u200d🚀"),
    ],
    ids=lambda text: ascii(text),
)
def test_a_word_shows_what_it_is(word, seen):
    assert printable(word) == seen


@given(ANY)
def test_no_word_holds_anything_that_steers(word):
    seen = printable(word)
    assert seen
    assert not {unicodedata.category(c) for c in seen} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(seen) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert printable(seen) == seen


def test_the_direction_is_that_of_most_letters():
    assert direction("the", "cat") == "ltr"
    assert direction(HEBREW, ".", "ok") == "rtl"
    assert direction("cats", ARABIC) == "ltr"
    assert direction("1", "?") == "ltr"


def test_only_words_that_turn_are_isolated_and_marks_stand_outside():
    assert bidi_isolate("猫") == "猫"
    assert bidi_isolate("12") == "12"
    assert bidi_isolate(HEBREW) == f"\u200e\u2068{HEBREW}\u2069\u200e"
    assert bidi_isolate("\u0661\u0662") != "\u0661\u0662"
