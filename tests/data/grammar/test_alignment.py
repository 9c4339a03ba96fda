"""Alignments against what a bilingual reader would draw: a small dictionary written by hand."""

import pytest

from regard.data.grammar import TAGS, UNALIGNED

# English word to the beginnings of the French words it may be linked with.
DICTIONARY = {
    "cat": ("chat",),
    "mice": ("souris",),
    "men": ("hommes",),
    "black": ("noir",),
    "white": ("blanc",),
    "beautiful": ("beau", "bel"),
    "old": ("vieux", "vieil", "ans"),
    "not": ("ne", "n'", "pas", "Ne", "N'"),
    "never": ("ne", "n'", "jamais"),
    "bigger": ("plus", "grand"),
    "cannot": ("ne", "peu", "pouv", "pas"),
    "and": ("et",),
    "because": ("parce", "que", "qu'"),
    "while": ("pendant", "que", "qu'"),
    "when": ("quand",),
    "of": ("de", "d'", "du"),
    "'s": ("de", "d'", "du"),
    "many": ("beaucoup", "de", "d'", "Combien"),
    "eleven": ("onze",),
    "seventy": ("soixante-dix",),
    "yesterday": ("hier",),
    "often": ("souvent",),
    "hungry": ("faim",),
    "years": ("ans",),
    "Mary": ("Marie",),
    "him": ("le", "l'", "lui"),
    "them": ("les", "leur", "eux"),
    "whom": ("que", "qu'"),
    "than": ("que", "qu'"),
    ",": (",",),
    ".": (".",),
    "?": ("?",),
}


def links_of(pair, position):
    return [pair.target[place] for first, place in sorted(pair.alignment) if first == position]


def test_links_point_at_words_that_are_there(pairs):
    for pair in pairs:
        assert all(
            0 <= first < len(pair.source) and 0 <= second < len(pair.target)
            for first, second in pair.alignment
        )


def test_every_word_is_aligned_but_for_a_few_articles(pairs):
    for pair in pairs:
        sides = (("en", pair.source, 0), ("fr", pair.target, 1))
        for language, words, side in sides:
            aligned = {link[side] for link in pair.alignment}
            loose = {word for place, word in enumerate(words) if place not in aligned}
            assert {word.lower() for word in loose} <= UNALIGNED[language], pair


@pytest.mark.parametrize("word", DICTIONARY)
def test_a_word_is_linked_with_its_translation(pairs, word):
    found = [
        (pair, links_of(pair, place))
        for pair in pairs
        for place, source in enumerate(pair.source)
        if source == word
    ]
    assert found
    for pair, linked in found:
        assert linked, pair
        assert all(other.startswith(DICTIONARY[word]) for other in linked), pair


def test_a_denial_is_linked_with_both_of_its_words(pairs):
    for pair in pairs:
        for place, word in enumerate(pair.source):
            if word in ("not", "cannot", "never"):
                linked = [other.lower() for other in links_of(pair, place)]
                assert linked[0] in ("ne", "n'")
                assert linked[-1] in ("pas", "jamais")


def test_a_past_holds_the_focus_for_auxiliary_and_participle(pairs):
    auxiliaries = {"ai", "as", "a", "avons", "avez", "ont"}
    participles = {"ate": "mangé", "saw": "vu", "drew": "dessiné", "took": "pris"}
    count = 0
    for pair in pairs:
        for place, word in enumerate(pair.source):
            if word in participles:
                first, second = links_of(pair, place)
                assert first in auxiliaries
                assert second.startswith(participles[word])
                count += 1
    assert count > 30


def test_tags_are_universal_and_linked_content_words_agree_in_kind(pairs):
    for pair in pairs:
        assert len(pair.source_tags) == len(pair.source)
        assert len(pair.target_tags) == len(pair.target)
        assert set(pair.source_tags) | set(pair.target_tags) <= TAGS
        for first, second in pair.alignment:
            if pair.source_tags[first] in ("PROPN", "PUNCT", "NUM"):
                assert pair.target_tags[second] == pair.source_tags[first]


def test_colours_cross_their_nouns_and_sizes_do_not(pairs):
    for english, crosses in (("black", True), ("red", True), ("small", False), ("young", False)):
        seen = 0
        for pair in pairs:
            for place, (word, following) in enumerate(
                zip(pair.source, pair.source_tags[1:], strict=False)
            ):
                if word == english and following == "NOUN":
                    adjective = next(b for a, b in pair.alignment if a == place)
                    noun = next(b for a, b in pair.alignment if a == place + 1)
                    assert (adjective > noun) is crosses, pair
                    seen += 1
        assert seen > 10
