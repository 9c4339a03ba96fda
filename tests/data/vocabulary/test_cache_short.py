import tracemalloc

import pytest

from regard.data.vocabulary import learn, split
from regard.data.vocabulary.splitting import LONGEST, cache_short


def test_answers_about_words_are_kept_and_those_about_long_texts_are_not():
    asked = []
    answer = cache_short(lambda text: asked.append(text) or len(text))
    for text in ("word", "word", "x" * LONGEST, "x" * LONGEST, "y" * (LONGEST + 1)):
        assert answer(text) == answer(text) == len(text)
    assert asked == ["word", "x" * LONGEST, "y" * (LONGEST + 1), "y" * (LONGEST + 1)]


@pytest.mark.parametrize("letter", ["a", "é", "."], ids=ascii)
def test_long_words_leave_nothing_in_memory(letter):
    words = learn("words", ["some words"])

    def read(number):
        text = f"{number} " + letter * 50_000 + f"{number}"
        pieces = words.pieces(text)
        assert words.text(pieces) == text
        assert words.spans(pieces)[-1][1] == len(text)
        assert len(split(text)) >= 2

    read(0)
    tracemalloc.start()
    try:
        for number in range(1, 30):
            read(number)
        # 29 texts of 50,000 letters; what else runs in the process keeps a little, too.
        assert tracemalloc.get_traced_memory()[0] < 29 * 50_000 / 3
    finally:
        tracemalloc.stop()
