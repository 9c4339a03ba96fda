"""Fonts for any letter: the usual one first, a box where nothing is installed."""

import pytest

from regard.lens.plots import fonts

pytest.importorskip("matplotlib")


def test_the_usual_font_is_enough_for_what_it_has():
    assert fonts.families(["chat", "\u05d7\u05ea\u05d5\u05dc"]) == [fonts.USUAL]


def test_a_letter_that_no_font_has_is_left_to_the_last_resort():
    assert fonts.families(["a", "\U0010fffe"])[-1] == fonts.LAST


def test_fonts_are_added_until_every_letter_has_one(monkeypatch):
    letters = {fonts.USUAL: "ab", "Noto Sans X": "cd", "Other": "cde", "Noto Sans Y": "c"}
    monkeypatch.setattr(fonts, "_installed_fonts", lambda: dict.fromkeys([*letters, fonts.LAST]))
    monkeypatch.setattr(fonts, "letters_of", lambda name: frozenset(letters[name]))
    assert fonts.families(["ab"]) == [fonts.USUAL]
    assert fonts.families(["ad"]) == [fonts.USUAL, "Noto Sans X"]
    assert fonts.families(["dec"]) == [fonts.USUAL, "Noto Sans X", "Other"]
    assert fonts.families(["f"]) == [fonts.USUAL, fonts.LAST]


def test_no_font_is_opened_once_every_letter_has_one(monkeypatch):
    opened = []

    def letters_of(name):
        opened.append(name)
        return frozenset("ab" if name == fonts.USUAL else "c")

    names = [fonts.USUAL, "Noto Sans X", "Other"]
    monkeypatch.setattr(fonts, "_installed_fonts", lambda: dict.fromkeys(names))
    monkeypatch.setattr(fonts, "letters_of", letters_of)
    fonts.families(["abc"])
    assert "Other" not in opened


def test_letters_of_a_font_are_its_letters():
    assert {"a", "é", "\u05d0"} <= fonts.letters_of(fonts.USUAL)
    assert "猫" not in fonts.letters_of(fonts.USUAL)


def test_letters_that_no_font_has_are_told():
    assert fonts.lacking(["chat", "noir"]) == frozenset()
    assert fonts.lacking(["chat", "\U000e0fff"]) == {"\U000e0fff"}
