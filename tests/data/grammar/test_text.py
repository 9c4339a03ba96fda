import pytest

from regard.data.grammar import text, tokens
from regard.errors import ChoiceError

SENTENCES = [
    ("en", "The girl's cat, the dog and I sleep.", 11),
    ("en", "Who cannot come back?", 5),
    ("fr", "Je t'aime.", 4),
    ("fr", "Est-ce qu'il n'est pas là aujourd'hui ?", 10),
    ("fr", "L'homme a soixante-dix ans ; Jean n'en a pas.", 12),
    ("fr", "Qu'est-ce que l'ami de ma grand-mère a vu ?", 12),
    ("fr", "Madame, ouvrez la porte !", 6),
]


@pytest.mark.parametrize(("language", "sentence", "count"), SENTENCES)
def test_text_undoes_tokens(language, sentence, count):
    split = tokens(sentence, language)
    assert len(split) == count
    assert text(split, language) == sentence


def test_clitics_and_punctuation_are_tokens_of_their_own():
    assert tokens("Est-ce qu'elle l'a vu aujourd'hui ?", "fr") == (
        *("Est", "-ce", "qu'", "elle", "l'", "a", "vu", "aujourd'hui", "?"),
    )
    assert tokens("Mary's cat, too.", "en") == ("Mary", "'s", "cat", ",", "too", ".")


def test_every_pair_survives_its_text(pairs):
    for pair in pairs:
        assert tokens(pair.source_text, "en") == pair.source
        assert tokens(pair.target_text, "fr") == pair.target


def test_sentences_start_with_a_capital_and_end_with_a_mark(pairs):
    for pair in pairs:
        for side in (pair.source, pair.target):
            sentence = side[-1] in (".", "?", "!")
            assert sentence == (pair.source[-1] in (".", "?", "!"))
            assert not sentence or side[0][0].isupper()


@pytest.mark.parametrize("convert", [text, tokens])
def test_another_language_is_refused(convert):
    with pytest.raises(ChoiceError, match="speaks 'en' and 'fr', got language 'de'"):
        convert("Katze", "de")
