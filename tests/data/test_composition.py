import sys
import time
from unicodedata import category, combining, decomposition, normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.pairs.lines import PIECE, composed

LETTERS = st.sampled_from("aäẞ 한\u1112\u1161\u11ab\u304b\u3099\u0301\u0323\u0f73\u0915\u093c😀")


@settings(max_examples=60)
@given(st.text(LETTERS, max_size=9), st.integers(0, 2 * PIECE))
def test_it_is_the_composed_form_wherever_a_piece_ends(text, before):
    text = "e" * before + text * 3 + "e" * PIECE + text
    assert composed(text) == normalize("NFC", text)


def test_only_marks_and_vowels_of_hangul_join_with_what_stands_before_them():
    """By the tables of the standard: what ends a composed pair, or is put in order."""
    joining = set(map(chr, range(0x1161, 0x1176))) | set(map(chr, range(0x11A8, 0x11C3)))
    for character in map(chr, range(sys.maxunicode + 1)):
        parts = decomposition(character).split()
        if len(parts) == 2 and "<" not in parts[0]:
            joining.add(chr(int(parts[1], 16)))
        if combining(character) or (parts and combining(normalize("NFD", character)[0])):
            joining.add(character)
    assert {c for c in joining if category(c)[0] != "M" and not "\u1160" <= c <= "\u11ff"} == set()


@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73"], ids=ascii)
def test_a_million_marks_take_no_more_time_than_their_number_says(marks):
    text = "a" + marks * (1_000_000 // len(marks))
    start = time.process_time()
    found = composed(text)
    assert time.process_time() - start < 6
    assert len(found) >= 999_999


def test_marks_are_put_in_order_up_to_a_piece():
    text = "a" + "\u0301\u0323" * ((PIECE - 1) // 2)
    assert composed(text) == normalize("NFC", text) != text
