"""Words as a reader sees them."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.vocabulary import split, touching, word_spans
from regard.data.vocabulary.splitting import tokens
from regard.errors import InputError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L'homme n'est pas là.", ["L'", "homme", "n'", "est", "pas", "là", "."]),
        ("Je t\u2019aime, qu'il dit", ["Je", "t\u2019", "aime", ",", "qu'", "il", "dit"]),
        ("aujourd'hui et peut-être", ["aujourd'hui", "et", "peut-être"]),
        ("Est-ce qu'il y a-t-il ?", ["Est", "-ce", "qu'", "il", "y", "a", "-t-il", "?"]),
        ("the cat's don't o'clock", ["the", "cat", "'s", "don't", "o'clock"]),
        ("(well-known)... 3.5 %", ["(", "well-known", ")", "...", "3", ".", "5", "%"]),
        ("Lorsqu'on jusqu'à", ["Lorsqu'", "on", "jusqu'", "à"]),
        ("हिन्दी e\u0301te\u0301", ["हिन्दी", "e\u0301te\u0301"]),
        ("", []),
        ("  ", []),
    ],
)
def test_words_punctuation_elision_and_clitics_are_apart(text, words):
    assert split(text) == words


@given(st.text())
def test_tokens_in_a_row_are_the_text(text):
    row = tokens(text)
    assert "".join(token.text for token in row) == text
    assert all(text[token.start : token.end] == token.text != "" for token in row)


def test_words_are_found_in_their_order():
    assert word_spans("a ba a", ["a", "b", "a", "a"]) == [(0, 1), (2, 3), (3, 4), (5, 6)]
    assert word_spans(" un  deux") == [(1, 3), (5, 9)]
    with pytest.raises(InputError, match="the word 'c' is not in 'a b' behind character 1"):
        word_spans("a b", ["a", "c"])


@settings(max_examples=50)
@given(st.data())
def test_touching_is_sharing_a_character(data):
    def spans():
        cuts = sorted(data.draw(st.sets(st.integers(0, 30), max_size=12)))
        pairs = list(pairwise(cuts))
        return [pair for pair in pairs if data.draw(st.booleans())]

    pieces, words = spans(), spans()
    for (start, end), found in zip(words, touching(pieces, words), strict=True):
        sharing = [
            i for i, (a, b) in enumerate(pieces) if set(range(a, b)) & set(range(start, end))
        ]
        assert list(found) == sharing
