"""Where sentences end."""

import pytest

from regard.tasks.translation.typed.items import sentence_spans

CUT = [
    ("Is she coming? I hope so.", 2),
    ("Stop! Don't! It's hot.", 3),
    ("Mr. Smith met Dr. J. K. Jones.", 1),
    ("The U.S. is big. It is.", 2),
    ("It costs 3.50 euros. Fine.", 2),
    ("Wait... what?", 1),
    ("Wait... I forgot.", 2),
    ("He left at 10 p.m. Wait for me.", 2),
    ('"Where?" "Here!"', 2),
    ("Is it I. Yes.", 2),
    ("No mark at all", 1),
    ("Two children: Ana and Luis.", 2),
    ("I like it - she does not.", 2),
    ("It is 10:30, a well-known hour.", 1),
    ("Really?! Yes…", 2),
    ("See e.g. Tom.", 1),
    ("Go to example.com. Now.", 2),
    ("", 0),
    ("  ", 0),
]


@pytest.mark.parametrize(("text", "count"), CUT)
def test_lines_are_cut_where_a_reader_would(text, count):
    assert len(list(sentence_spans(text))) == count


@pytest.mark.parametrize(("text", "count"), CUT)
def test_nothing_but_space_lies_between_sentences(text, count):
    place = 0
    for start, end in sentence_spans(text):
        assert not text[place:start].strip(" :-")
        assert text[start:end] == text[start:end].strip() != ""
        place = end
    assert not text[place:].strip()
