"""Questions from every kind of file; what is wrong with one is told by file and line."""

import gzip
import json

import pytest

from regard.data.reading import (
    Answer,
    Question,
    Stories,
    located,
    read_questions,
    sentences_of,
)
from regard.errors import InputError

STORY = """1 Anna went to the garden.
2 Ben took the lamp.
3 Where is Anna?\tgarden\t1
4 Ben went to the attic.
5 Where is the lamp?\tattic\t2 4
1 Clara is tired.
2 How is Clara?\ttired\t1
"""
PASSAGE = "Anna came from Rome. She came in 1987."
QAS = [
    {
        "id": "q1",
        "question": "When did she come?",
        "answers": [{"text": "1987", "answer_start": 33}],
    }
]


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_a_story_has_its_questions_with_the_sentences_before_them(tmp_path):
    path = tmp_path / "qa07.train.txt.gz"
    path.write_bytes(gzip.compress(STORY.encode()))
    first, second, third = read_questions(path)
    assert first.sentences == ("Anna went to the garden.", "Ben took the lamp.")
    assert (first.texts, first.supports, first.group) == (("garden",), (0,), "qa07")
    assert second.sentences == (*first.sentences, "Ben went to the attic.")
    assert second.supports == (1, 2)
    assert (third.sentences, third.supports) == (("Clara is tired.",), (0,))
    assert third.place.line == 7


@pytest.mark.parametrize("pretty", [False, True])
def test_a_document_and_lines_of_squad_hold_the_same(tmp_path, pretty):
    document = {"data": [{"title": "t", "paragraphs": [{"context": PASSAGE, "qas": QAS}]}]}
    text = json.dumps(document, indent=1 if pretty else None)
    (one,) = read_questions(written(tmp_path, "train.json", text))
    assert one.passage == PASSAGE
    assert one.answers == (Answer("1987", 33),)
    line = text[: text.index('"q1"')].count("\n") + 1
    assert str(one.place).endswith(f"line {line}")
    lists = [{"id": "q1", "question": QAS[0]["question"], "answers": ["1987"], "starts": [33]}]
    rows = json.dumps({"source": "wiki", "context": PASSAGE, "qas": lists})
    (other,) = read_questions(written(tmp_path, "train.jsonl", rows))
    assert other.answers == one.answers
    assert other.group == "wiki"


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("a.tsv", f"{PASSAGE}\tWho came?\tAnna\n", ()),
        ("a.tsv", f"question\tanswer\tpassage\nWho came?\tAnna\t{PASSAGE}\n", ()),
        ("a.csv", f'"{PASSAGE}",Who came?,Anna\n', ()),
        ("a.tsv", f"Anna\tx\tWho came?\t{PASSAGE}\n", (4, 3, 1)),
        ("a.tsv", f"q\ta\tp\nWho came?\tAnna\t{PASSAGE}\n", ("p", "q", "a")),
        (
            "a.jsonl",
            json.dumps({"passage": PASSAGE, "question": "Who came?", "answer": "Anna"}),
            (),
        ),
        (
            "a.jsonl",
            json.dumps({"context": PASSAGE, "question": "Who came?", "answers": ["Anna"]}),
            (),
        ),
    ],
)
def test_questions_of_ones_own_come_in_columns_or_fields(tmp_path, name, text, columns):
    (one,) = read_questions(written(tmp_path, name, text), columns=columns)
    assert (one.passage, one.question, one.texts) == (PASSAGE, "Who came?", ("Anna",))
    assert located(one).answers == (Answer("Anna", 0),)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "Anna went home.\n", "line 1: a story needs a number before every sentence"),
        ("a.txt", "1 A.\n2 Who?\tA\t7\n", "line 2: needs numbers of sentences of this story"),
        ("a.txt", "1 A.\n2 \tA\t1\n", "line 2: needs a question, got none"),
        ("a.txt", "1 Where?\there\t\n", "line 1: needs a passage, got none"),
        ("a.txt", "1 A.\n", "needs at least one question, got none"),
        ("a.tsv", "text\tWho?\n", "line 1: needs passage, question and answer in 3 columns"),
        ("a.tsv", "text\t \tA\n", "line 1: needs a question, got none"),
        ("a.tsv", "text\tWho?\t\n", "line 1: needs words in every answer"),
        ("a.jsonl", "{", "line 1: needs a JSON object"),
        ("a.jsonl", '{"passage": "A."}', "needs text in the field 'question', got passage"),
        ("a.jsonl", '{"context": "A", "qas": [{"question": "q", "answers": []}]}', "got none"),
        ("a.json", '{"data": 3}', "line 1: needs a list in the field 'data', got int"),
        ("a.json", "[", "line 1: needs a JSON document"),
    ],
)
def test_bad_data_is_named_by_file_and_line(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        list(read_questions(written(tmp_path, name, text)))


@pytest.mark.parametrize("answer", [Answer("Paris"), Answer("1987", 5), Answer("1987", 400)])
def test_an_answer_needs_to_stand_in_its_passage(answer):
    with pytest.raises(InputError, match="needs an answer that stands in its passage"):
        located(Question(PASSAGE, "When?", (answer,)))


def test_places_are_found_whatever_the_case():
    one = located(Question(PASSAGE, "Where from?", (Answer("rome"), Answer("Rome", 15))))
    assert [answer.start for answer in one.answers] == [15, 15]


def test_a_passage_falls_into_lines_or_sentences():
    assert sentences_of("Anna went home. Did Ben? No.") == ("Anna went home.", "Did Ben?", "No.")
    assert sentences_of("One. Two\n\n three \n") == ("One. Two", "three")
    assert sentences_of(" ") == ()


def test_a_story_of_ours_is_answered_by_its_own_sentences():
    groups = set()
    for number in range(60):
        one = Stories(3, sentences=9)[number]
        assert one == Stories(3, sentences=9)[number]
        (answer,) = one.answers
        assert one.passage[answer.start :].startswith(answer.text)
        assert answer.text in one.sentences[one.supports[-1]]
        about = one.question.split()[-1].rstrip("?")
        assert about in one.sentences[one.supports[0]]
        assert len(one.sentences) == 9
        groups.add(one.group)
    assert groups == {"one sentence", "two sentences"}
    assert Stories(3, split="valid")[0] != Stories(3)[0]
