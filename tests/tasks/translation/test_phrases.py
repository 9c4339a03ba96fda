"""Phrases out of aligned pairs: only what belongs together, as it stands in the text."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from regard.tasks.translation.example import Example, phrases, with_phrases

DRESS = Example(
    "She wore a red dress.",
    "Elle portait une robe rouge.",
    frozenset({(0, 0), (1, 1), (2, 2), (3, 4), (4, 3), (5, 5)}),
    ("She", "wore", "a", "red", "dress", "."),
    ("Elle", "portait", "une", "robe", "rouge", "."),
)
LINKS = st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=9)


def taken(example, draws=200):
    found = set()
    for seed in range(draws):
        first, *others = with_phrases([example], 1.0, seed=seed)
        assert first is example
        found |= set(others)
    return {(one.source, one.target): one for one in found}


def test_words_that_cross_are_one_phrase_or_none():
    found = set(phrases(frozenset({(0, 1), (1, 0), (2, 2)}), 3))
    assert found == {(range(0, 2), range(0, 2)), (range(0, 3), range(0, 3))}


@given(LINKS)
def test_phrases_are_those_that_no_link_leaves(links):
    """The definition: some link inside, and every link inside on both sides or on neither."""
    expected = {
        (range(a, b), range(c, d))
        for a, b, c, d in product(range(6), range(6), range(8), range(8))
        if 2 <= b - a <= 5
        and c < d
        and any(a <= i < b and c <= j < d for i, j in links)
        and all((a <= i < b) == (c <= j < d) for i, j in links)
        # No longer than the links ask for.
        and any(j == c and a <= i < b for i, j in links)
        and any(j == d - 1 and a <= i < b for i, j in links)
    }
    assert set(phrases(links, 5)) == expected


def test_a_phrase_is_the_text_between_its_words_with_links_of_its_own():
    found = taken(DRESS)
    assert found["red dress", "robe rouge"].alignment == {(0, 1), (1, 0)}
    assert found["red dress", "robe rouge"].source_words == ("red", "dress")
    assert ("She wore a red dress", "Elle portait une robe rouge") in found
    assert not [1 for source, _ in found if "." in source or len(source.split()) < 2]


def test_nothing_is_torn_at_an_apostrophe():
    example = Example(
        "Tom's sorry now.",
        "Tom est désolé.",
        frozenset({(0, 0), (1, 1), (2, 2), (4, 3)}),
        ("Tom", "'s", "sorry", "now", "."),
        ("Tom", "est", "désolé", "."),
    )
    found = {source for source, _ in taken(example)}
    assert {"Tom's", "Tom's sorry"} <= found
    assert not [source for source in found if source.startswith("'")]


def test_pairs_without_links_and_a_share_of_nothing_have_no_phrases():
    plain = DRESS._replace(alignment=None)
    assert list(with_phrases([plain], 1.0)) == [plain]
    assert list(with_phrases([DRESS], 0.0)) == [DRESS]


def test_a_share_of_the_pairs_has_a_phrase_and_the_same_every_time():
    many = [DRESS] * 400
    found = list(with_phrases(many, 0.25))
    assert 60 < len(found) - len(many) < 140
    assert found == list(with_phrases(many, 0.25))
    assert found != list(with_phrases(many, 0.25, seed=1))
