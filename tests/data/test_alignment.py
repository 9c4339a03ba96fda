"""Links between words as links between tokens, and back."""

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.alignment import side, to_tokens
from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.data.pairs import Place, TextPair
from regard.data.vocabulary import Characters, Vocabularies, Words, learn
from regard.tasks.translation.corpus import encode
from regard.tasks.translation.example import Example, from_text, from_words

CHARACTERS = Characters(sorted(set(" abcdefghijklmnopqrstuvwxyz'.éJ")))
BOTH = Vocabularies(CHARACTERS, CHARACTERS)


class Pair(NamedTuple):
    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: frozenset[tuple[int, int]]
    source_text: str
    target_text: str


LOVE = Pair(
    source=("I", "love", "you", "."),
    target=("Je", "t'", "aime", "."),
    alignment=frozenset({(0, 0), (1, 2), (2, 1), (3, 3)}),
    source_text="I love you.",
    target_text="Je t'aime.",
)


def test_all_characters_of_linked_words_are_linked():
    source, target = side(CHARACTERS, "ab c"), side(CHARACTERS, "d ef")
    space_and_ef, ab = (1, 2, 3), (0, 1)
    expected = [(t, s) for t in space_and_ef for s in ab]
    assert to_tokens(frozenset({(0, 1)}), source=source, target=target) == expected


def test_words_that_are_no_spaces_apart_are_linked_by_themselves():
    source = side(CHARACTERS, LOVE.source_text, LOVE.source)
    target = side(CHARACTERS, LOVE.target_text, LOVE.target)
    links = to_tokens(LOVE.alignment, source=source, target=target)
    text, other = LOVE.target_text, LOVE.source_text
    looked = {text[t]: "".join(other[s] for tt, s in links if tt == t).strip() for t, _ in links}
    assert looked.pop(" ") == looked["t"]
    assert looked == {
        "J": "I",
        "t": "you",
        "'": "you",
        "a": "love",
        "i": "love",
        "m": "love",
        "e": "love",
        ".": ".",
    }


def test_parts_of_words_carry_the_links_of_their_word():
    texts = ["the captain reads", "le capitaine lit"] * 4
    for name, chosen in (("bpe", {"size": 320}), ("unigram", {"size": 300}), ("words", {})):
        tokeniser = learn(name, texts, **chosen)
        source, target = side(tokeniser, texts[0]), side(tokeniser, texts[1])
        word_of = [tokeniser.word_of(tokeniser.pieces(text)) for text in texts[:2]]
        found = to_tokens(frozenset({(1, 1), (2, 0)}), source=source, target=target)
        expected = [
            (t, s)
            for t, j in enumerate(word_of[1])
            for s, i in enumerate(word_of[0])
            if (i, j) in {(1, 1), (2, 0)}
        ]
        assert found == expected != []


@settings(max_examples=50)
@given(st.data())
def test_links_come_back_from_their_tokens(data):
    words = st.lists(st.text("abé", min_size=1, max_size=4), min_size=1, max_size=5)
    source_words, target_words = data.draw(words), data.draw(words)
    pairs = st.tuples(st.integers(0, len(source_words) - 1), st.integers(0, len(target_words) - 1))
    links = data.draw(st.frozensets(pairs))
    for tokeniser in (CHARACTERS, Words([])):
        source = side(tokeniser, " ".join(source_words))
        target = side(tokeniser, " ".join(target_words))
        tokens = to_tokens(links, source=source, target=target)
        back = {
            (i, j)
            for t, s in tokens
            for i, own in enumerate(source.touching)
            for j, theirs in enumerate(target.touching)
            if s in own and t in theirs
        }
        assert back == links


def test_a_batch_has_a_matrix_with_the_ends_linked_and_a_mask_of_gold():
    examples = [
        Example("ab c", "de", frozenset({(1, 0)})),
        Example("a", "b c d"),
        Example("ab", "c", frozenset()),
    ]
    pools = FinitePools(encode(examples, BOTH))
    (batch,) = Batches(pools, BatchConfig(max_tokens=100))
    assert batch.alignment is not None
    rows = batch.indices.tolist()
    assert dict(zip(rows, batch.alignment.gold.tolist(), strict=True)) == {0: 1, 1: 0, 2: 1}
    assert batch.alignment.links.shape == (3, 6, 5)
    linked = {row: batch.alignment.links[i].nonzero().tolist() for i, row in enumerate(rows)}
    assert linked == {0: [[0, 2], [0, 3], [1, 2], [1, 3], [2, 4]], 1: [], 2: [[1, 2]]}


def test_a_batch_without_gold_has_no_alignment():
    (batch,) = Batches(FinitePools(encode([Example("a", "b")], BOTH)), BatchConfig())
    assert batch.alignment is None


def test_every_reference_is_an_example_and_the_first_has_the_alignment():
    pair = TextPair("a b", ("c", "d e"), frozenset({(0, 0)}), Place("file", 3))
    assert list(from_text([pair])) == [
        Example("a b", "c", frozenset({(0, 0)})),
        Example("a b", "d e", None),
    ]


def test_pairs_of_words_are_examples_with_running_text():
    example = from_words(LOVE)
    assert example == Example("I love you.", "Je t'aime.", LOVE.alignment, LOVE.source, LOVE.target)
    corpus = encode([example], BOTH)
    assert corpus.gold.tolist() == [True]


def test_words_that_are_not_in_the_text_are_refused():
    with pytest.raises(ValueError, match="the word 'you' is not in 'I love'"):
        side(CHARACTERS, "I love", ("I", "love", "you"))
