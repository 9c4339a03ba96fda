"""From what is typed to what is told, with a model that knows its phrases by heart."""

import json

import pytest
import torch
from torch.testing import assert_close

from regard.data.vocabulary import Vocabularies, learn
from regard.tasks.translation.predictor import Translator
from regard.tasks.translation.sample import to_json
from regard.tasks.translation.typed.items import items
from regard.tasks.translation.typed.typing import Typing
from training.scripted import Phrasebook

PHRASES = {
    "Where is my bag?": "Où est mon sac ?",
    "Thank you.": "Merci.",
    "I know Tom.": "Je connais Tom.",
    "Tom sees Mary.": "Tom voit Mary.",
    "Come at 2:30.": "Viens à 14 h 30.",
    "It has 27 pages.": "Il a 27 pages.",
    "Don't go.": "Ne pars pas.",
    "Is it I?": "Est-ce moi ?",
    "Good morning, Tom!": "Bonjour, Tom !",
    "You are late.": "Tu es en retard.",
    "Are you going to come?": "Viendras-tu ?",
    "I was born on Monday.": "Je suis né lundi.",
    "She is 30 years old.": "Elle a trente ans.",
    "I'm 30 years old.": "J'ai 30 ans.",
    "Tom lives in Kansas.": "Tom vit au Kansas.",
    "He said no.": "Il a dit non.",
}
DULL = "la bouteille"
"""What the model says to anything else, again and again."""


class Book(Phrasebook):
    """Knows phrases, and is long and unsure about the rest."""

    dull: tuple[int, ...] = ()

    def start(self, source, source_lengths):
        for row, length in zip(source.tolist(), source_lengths.tolist(), strict=True):
            key = tuple(row[:length])
            if key not in self.phrases:
                self.sources.append(key)
                self.phrases[key] = [(token, 0) for token in self.dull * 6]
        return super().start(source, source_lengths)


@pytest.fixture(scope="module")
def translator():
    texts = [*PHRASES, *PHRASES.values(), DULL, "a.", "a?", "a!"]
    both = learn("words", texts)
    phrases = {}
    for source, target in PHRASES.items():
        key = (*both.encode(source), both.eos)
        ids = both.encode(target)
        phrases[key] = [(token, min(t, len(key) - 1)) for t, token in enumerate(ids)]
    model = Book(phrases, vocab=len(both), confidence=4.0)
    model.dull = tuple(both.encode(DULL))
    return Translator(model, Vocabularies(both, both), typing=Typing())


def test_items_are_found_whole():
    text = (
        "Mail bob@a.org or see https://a.org/x?y=1, at 3:45 pm, 06 12 34 56 78, B52 or 1,250 🙂! "
        'On 4th of July 1999 "yes" was 30 years old on Mon, Dec. 1 at 4:10.'
    )
    found = [(one.kind, text[slice(*one.span)]) for one in items(text)]
    assert found == [
        ("address", "bob@a.org"),
        ("address", "https://a.org/x?y=1"),
        ("time", "3:45 pm"),
        ("code", "06 12 34 56 78"),
        ("code", "B52"),
        ("number", "1,250"),
        ("emoji", "🙂"),
        ("date", "4th of July 1999"),
        ("quoted", '"yes"'),
        ("age", "30 years old"),
        ("date", "Dec. 1"),
        ("time", "4:10"),
    ]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Where is my bag?", "Où est mon sac ?"),
        ("WHERE IS MY BAG?", "Où est mon sac ?"),
        ("Where is my bag? Thank you.", "Où est mon sac ? Merci."),
        ("🙂 Thank you. 🙂", "🙂 Merci. 🙂"),
        ('"Where is my bag?"', '"Où est mon sac ?"'),
        ("thank you", "Merci"),
        ("I know Svetlana.", "Je connais Svetlana."),
        ("Priya sees Li Wei.", "Priya voit Li Wei."),
        ("I know bob@a.org.", "Je connais bob@a.org."),
        ("Come at 3:45 pm.", "Viens à 15 h 45."),
        ("Come at 3:45 am.", "Viens à 3 h 45."),
        ("It has 482 pages.", "Il a 482 pages."),
        ("Come at 3 pm.", "Viens à 15 h."),
        ("Don\u2019t go.", "Ne pars pas."),
        ("Where is my bag???", "Où est mon sac ?"),
        ("'Where is my bag?'", "'Où est mon sac ?'"),
        ("Thank you: where is my bag", "Merci: Où est mon sac"),
        ("Hello, Tom!", "Bonjour, Tom !"),
        ("Hi, Svetlana!", "Bonjour, Svetlana !"),
        ("u r late.", "Tu es en retard."),
        ("r u gonna come?", "Viendras-tu ?"),
        ("I was born on July 4th, 1999.", "Je suis né le 4 juillet 1999."),
        ("I was born on Friday, 1 May.", "Je suis né le vendredi 1er mai."),
        ("She is 93 years old.", "Elle a 93 ans."),
        ("I'm 25.", "J'ai 25 ans."),
        ("Svetlana lives in Kansas.", "Svetlana vit au Kansas."),
        ('I know "xylophone".', 'Je connais "xylophone".'),
        ('He said "no".', "Il a dit non."),
        ("bob@a.org", "bob@a.org"),
        ("12345", "12345"),
        ("", ""),
    ],
)
def test_what_is_typed_is_told(translator, typed, told):
    [found] = translator.translate([typed], aligned=True)
    assert (found.source, found.text) == (typed, told)


def test_without_it_every_line_is_read_as_it_is(translator):
    raw = Translator(translator.model, translator.vocabularies)
    [found] = raw.translate(["Thank you. Where is my bag?"])
    assert "Merci. Où" not in found.text


def test_weights_links_and_words_are_those_of_the_text_typed(translator):
    typed = "🙂 I know Svetlana Ivanova. WHERE IS MY BAG?"
    [found] = translator.translate([typed], aligned=True)
    assert found.text == "🙂 Je connais Svetlana Ivanova. Où est mon sac ?"
    assert found.weights.shape == (len(found.target_words), len(found.source_words))
    total = found.weights.sum(-1) + found.end
    assert_close(total, torch.ones_like(total))
    places = {(found.source_words[i], found.target_words[j]) for i, j in found.links}
    # The phrasebook's token t looks at source token t: Tom is the third of both.
    assert {("🙂", "🙂"), ("Svetlana", "Svetlana"), ("Ivanova", "Ivanova")} <= places
    assert {("WHERE", "Où"), ("BAG", "sac")} <= places
    rows, columns = found.token_weights.shape
    assert (rows, columns) == (len(found.target_tokens) + 1, len(found.source_tokens) + 1)
    told = json.loads(json.dumps(to_json((found,))))
    assert told["source_words"] == list(found.source_words)
    assert len(told["translations"][0]["weights"]) == len(told["translations"][0]["words"])


def test_lines_come_in_their_order_and_a_clean_one_is_as_without(translator):
    raw = Translator(translator.model, translator.vocabularies)
    lines = ["Thank you.", "I know Svetlana.", "", "Where is my bag?"]
    found = translator.translate(lines, aligned=True)
    assert [one.source for one in found] == lines
    for place in (0, 3):
        [plain] = raw.translate([lines[place]], aligned=True)
        assert found[place].to_json() == plain.to_json()


def test_characters_are_read_as_they_are_and_stored_settings_decide(translator):
    letters = learn("characters", ["abc"])
    spelling = Translator(translator.model, Vocabularies(letters, letters))
    assert spelling.in_use({"kind": "translation"}).typing is None
    words = Translator(translator.model, translator.vocabularies)
    assert words.in_use({"kind": "translation"}).typing == Typing()
    assert words.in_use({"typing": {"split": False}}).typing == Typing(split=False)
    assert Translator(words.model, words.vocabularies).in_use({"typing": None}).typing is None
