"""From token numbers back to the pieces they stand for."""

import pytest

from regard.data.vocabulary import learn
from regard.errors import InputError

TEXTS = ["Le vieux capitaine lit sept lettres.", "L'aînée n'aime pas l'autre lettre !"]
SIZES = {"words": None, "characters": None, "bpe": 320, "unigram": 300}


@pytest.fixture(scope="module", params=sorted(SIZES))
def tokeniser(request):
    size = SIZES[request.param]
    return learn(request.param, TEXTS * 9, **({} if size is None else {"size": size}))


@pytest.mark.parametrize("text", TEXTS)
def test_they_are_the_pieces_that_were_numbered(tokeniser, text):
    assert tokeniser.pieces_of(tokeniser.encode(text)) == tokeniser.pieces(text)


def test_the_ends_of_a_sentence_and_padding_leave_no_trace(tokeniser):
    ids = tokeniser.encode(TEXTS[0])
    assert tokeniser.pieces_of([2, *ids, 3, 0]) == tokeniser.pieces_of(ids)


def test_the_unknown_is_a_piece_like_others(tokeniser):
    ids = tokeniser.encode(TEXTS[0])
    assert tokeniser.pieces_of([1, *ids[1:]])[0] == "<unk>"
    assert len(tokeniser.pieces_of([1, *ids])) == len(ids) + 1


@pytest.mark.parametrize("number", [-1, 10**6])
def test_a_number_outside_the_vocabulary_is_refused(tokeniser, number):
    with pytest.raises(InputError, match=f"token {number} is not among the {len(tokeniser)}"):
        tokeniser.pieces_of([5, number])


def test_pieces_from_the_middle_of_a_word_stand_where_their_text_does(tokeniser):
    """A model may write any piece first."""
    ids = tokeniser.encode(TEXTS[0])
    for start in range(len(ids)):
        pieces = tokeniser.pieces_of(ids[start:])
        text = tokeniser.text(pieces)
        spans = tokeniser.spans(pieces)
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)
        bare = "".join(piece.strip("\u2581\uffed") for piece in pieces)
        assert "".join(text[a:b].strip() for a, b in spans) == bare.replace(" ", "")
