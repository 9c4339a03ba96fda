"""French spelling by rule: elision and contraction, over thousands of outputs and by hand."""

import re

import pytest

from regard.data.grammar.pair import contract_and_elide
from regard.data.grammar.words import Word

VOWEL = "[aàâeéèêiîoôœuûh]"
# Written by hand: no elision before these.
CONSONANT = "(?!héros|hibou|hérisson|haricot|hache|haut|huit|onze)"

FORBIDDEN = {
    "le a…": rf"\b(le|la|de|que|je|me|te|se|ne) {CONSONANT}({VOWEL}|y )",
    "l'c…": r"\b(l|d|qu|j|m|t|s|n)'(?![aàâeéèêiîoôœuûyh])",
    "l'héros": r"'(héros|hibou|hérisson|haricot|hache|haut|huit|onze)",
    "de le": r"\b(de|à) (le|les) ",
    "du a…": rf"\b(du|au) {CONSONANT}{VOWEL}",
    "si il": r"\bsi ils?\b",
    "s'elle": r"\bs'elle",
    "ce homme": rf"\bce {CONSONANT}{VOWEL}",
    "cet chat": r"\bcet (?![aàâeéèêiîoôœuûh])",
    "ma amie": rf"\b(ma|ta|sa) {CONSONANT}{VOWEL}",
    "beau oiseau": rf"\b(un|ce|le|mon|ton|son|leur) (beau|nouveau|vieux) {CONSONANT}{VOWEL}",
    "bel chat": r"\b(bel|nouvel|vieil) (?![aàâeéèêiîoôœuûh])",
    "de des": r"\b(de|du|des) (de\b|du\b|des\b|d')",
    "double word": r"\b(ne ne|de de|que que|le le|la la|les les|pas pas)\b",
    "placeholder": r" - ",
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_no_french_sentence_breaks_the_rule(french, name):
    broken = re.search(FORBIDDEN[name], french, re.IGNORECASE)
    assert broken is None, french[broken.start() - 40 : broken.end() + 40]


def test_the_article_des_becomes_de_before_an_adjective(pairs):
    adjectives = {"petits", "petites", "jolis", "jolies", "jeunes", "vieux", "vieilles", "grosses"}
    checked = 0
    for pair in pairs:
        for place, word in enumerate(pair.target[1:]):
            # "des" is also "de" + "les", a preposition: "près des petites écoles".
            if word in adjectives and pair.target_tags[place] == "DET":
                assert pair.target[place].lower() != "des", pair.target_text
                checked += pair.target[place].lower() == "de"
    assert checked > 5


@pytest.mark.parametrize(
    "expected",
    [
        *("l'", "d'", "qu'", "j'", "m'", "t'", "s'", "n'"),
        *("du", "des", "au", "aux", "cet", "mon", "bel", "vieil", "nouvel"),
    ],
)
def test_every_short_form_occurs(pairs, expected):
    assert any(expected in pair.target for pair in pairs)


JOINED = [
    ("le:DET homme:NOUN", "l' homme"),
    ("le:DET héros:NOUN", "le héros"),
    ("la:DET hache:NOUN", "la hache"),
    ("de:ADP le:DET chat:NOUN", "du chat"),
    ("de:ADP le:DET oiseau:NOUN", "de l' oiseau"),
    ("de:ADP la:DET école:NOUN", "de l' école"),
    ("de:ADP les:DET amis:NOUN", "des amis"),
    ("à:ADP le:DET marché:NOUN", "au marché"),
    ("à:ADP les:DET hôtels:NOUN", "aux hôtels"),
    ("à:ADP le:DET hôpital:NOUN", "à l' hôpital"),
    ("de:ADP eau:NOUN", "d' eau"),
    ("je:PRON ne:ADV ai:AUX", "je n' ai"),
    ("que:SCONJ il:PRON ne:ADV y:PRON a:VERB", "qu' il n' y a"),
    ("si:SCONJ ils:PRON", "s' ils"),
    ("si:SCONJ elle:PRON", "si elle"),
    ("que:SCONJ onze:NUM chats:NOUN", "que onze chats"),
    ("à:ADP le:PRON voir:VERB", "à le voir"),
]


@pytest.mark.parametrize(("spoken", "written"), JOINED)
def test_words_melt_as_french_writes_them(spoken, written):
    words = [Word(*word.split(":")) for word in spoken.split()]
    assert " ".join(word.text for word in contract_and_elide(words)) == written


def test_a_contracted_word_keeps_the_links_of_both():
    words = [Word("de", "ADP", (3,)), Word("le", "DET", (5,)), Word("chat", "NOUN", (7,))]
    assert contract_and_elide(words) == [Word("du", "ADP", (3, 5)), Word("chat", "NOUN", (7,))]
