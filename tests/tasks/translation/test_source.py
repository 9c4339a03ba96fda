"""A source as a model reads it."""

import pytest

from regard.data.vocabulary import learn
from regard.tasks.translation.source import read_source


@pytest.mark.parametrize(
    ("typed", "read"),
    [("Café", "cafe"), ("FACD", "facd"), ("bead", "bead"), ("BÉb", "BEb"), ("x1", "x1")],
)
def test_letters_are_read_as_those_that_a_vocabulary_of_characters_has(typed, read):
    letters = learn("characters", ["abcdefBE"])
    found, expected = (read_source(one, letters, longest=9, extension=0) for one in (typed, read))
    assert (found.text, found.ids) == (read, expected.ids)


def test_words_are_read_in_their_own_letters():
    words = learn("words", ["cafe"])
    assert read_source("Café", words, longest=9, extension=0).text == "Café"
