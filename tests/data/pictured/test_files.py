"""Files about pictures: captions in columns and as COCO has them, questions in columns and JSON."""

import gzip
import json

import pytest

from regard.data.pictured import read_captions, read_questions
from regard.data.pictured.questions import answer_text
from regard.errors import InputError


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_have_a_name_perhaps_a_size_and_captions(tmp_path):
    path = written(tmp_path / "a.tsv", "one\t40\t30\tA dog.\tThe dog\n\ntwo\tA cat\none\tthird\n")
    first, second = read_captions(path)
    assert first[:3] == ("one", ("A dog.", "The dog", "third"), (40, 30))
    assert second[:3] == ("two", ("A cat",), None)


def test_two_numbers_alone_are_captions_if_nothing_follows(tmp_path):
    path = written(tmp_path / "a.tsv", "one\t40\t30\n")
    assert read_captions(path)[0].captions == ("40", "30")


def test_gzip_is_read(tmp_path):
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(b"one\tA dog\n"))
    assert read_captions(path)[0].picture == "one"


def test_coco_is_read(tmp_path):
    content = {
        "images": [
            {"id": 7, "file_name": "x.jpg", "width": 9, "height": 5},
            {"id": 8, "file_name": "y.jpg"},
        ],
        "annotations": [
            {"image_id": 7, "caption": " A dog. "},
            {"image_id": 7, "caption": "The dog"},
        ],
    }
    path = written(tmp_path / "captions.json", json.dumps(content, indent=1))
    (only,) = read_captions(path)
    assert only[:3] == ("x.jpg", ("A dog.", "The dog"), (9, 5))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "one\n", "line 1: needs a caption behind it, got none"),
        ("a.tsv", "\tA dog\n", "line 1: needs the name of a picture, got none"),
        ("a.tsv", "\n", "needs at least one picture with a caption"),
        ("a.json", "{", "needs to be JSON"),
        ("a.json", '{"images": []}', "needs images with id and file_name"),
    ],
)
def test_bad_captions_are_named(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        read_captions(written(tmp_path / name, text))


def test_questions_are_read_in_columns_and_as_json(tmp_path):
    table = written(tmp_path / "q.tsv", "p1\tWhat is it?\tA  Dog\torgan\np2\tHow many?\t2\n")
    assert [one[:3] for one in read_questions(table)] == [
        ("p1", "What is it?", "a dog"),
        ("p2", "How many?", "2"),
    ]
    entries = [["what shape?", "circle", 3], {"picture": "x", "question": "y?", "answer": "Z"}]
    path = written(tmp_path / "q.json", json.dumps(entries))
    assert [one[:3] for one in read_questions(path)] == [
        ("3", "what shape?", "circle"),
        ("x", "y?", "z"),
    ]


def test_an_answer_of_several_things_has_one_order():
    assert answer_text("Pillow,  lamp") == answer_text("lamp ,pillow") == "lamp, pillow"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.tsv", "p1\tWhat?\n", "line 1: needs an answer"),
        ("q.tsv", "\n", "needs at least one question"),
        ("q.json", "[3]", "entry 1 of another form"),
        ("q.json", '[["a", "b", ""]]', "needs a picture"),
    ],
)
def test_bad_questions_are_named(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        read_questions(written(tmp_path / name, text))
