"""Tests out of files and out of the grammar."""

import gzip
import json

import pytest

from regard.data.grammar import split_of
from regard.errors import InputError
from regard.measures import Gold
from regard.tasks.translation import HeldOut
from regard.tasks.translation.evaluation import LinkedPair, grammar_exam, read_exam
from regard.tasks.translation.evaluation.exam import gold_of, links_of


@pytest.fixture
def written(tmp_path):
    """Writes a file of lines and tells its path."""

    def write(name, *lines):
        path = tmp_path / name
        text = "".join(f"{line}\n" for line in lines).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return path

    return write


def links(*found):
    return frozenset(found)


def test_all_lines_with_a_source_are_its_references(written):
    path = written("test.tsv.gz", "a\tx", "", "b\ty\tmore", "a\tz", "a\tx", " \tq", "b\t ")
    exam = read_exam(path)
    assert exam.held_out == (HeldOut("a", ("x", "z")), HeldOut("b", ("y",)))
    assert (exam.lines, exam.skipped, exam.references) == (7, 3, 3)
    assert exam.places == (0, 2)
    assert exam.linked == ()


def test_bars_separate_as_tabs_do(written):
    exam = read_exam(written("pairs.txt", "a b . ||| x y .", "c ||| d\t||| e"))
    assert [(one.source, one.references) for one in exam.held_out] == [
        ("a b .", ("x y .",)),
        ("c ||| d", ("||| e",)),
    ]


def test_parallel_files_json_and_other_columns_are_read(written):
    source, first, second = (
        written("s.txt", "a", "b"),
        written("1.txt", "x", "y"),
        written("2.txt", "X", ""),
    )
    assert read_exam(source, first, second).held_out == (
        HeldOut("a", ("x", "X")),
        HeldOut("b", ("y",)),
    )
    turned = read_exam(written("t.tsv", "1\tx\ta"), columns=(3, 2))
    assert turned.held_out == (HeldOut("a", ("x",)),)
    record = json.dumps({"source": "a b", "target": ["x", "y"], "alignment": "1-0"})
    exam = read_exam(written("t.jsonl", record))
    assert exam.held_out == (HeldOut("a b", ("x", "y")),)
    assert exam.linked == (LinkedPair("a b", "x", Gold(links((1, 0)))),)


def test_gold_belongs_to_lines_and_not_to_sources(written):
    path = written("t.tsv", "a b\tx y", "", "a b\tz", "c\tq")
    gold = written("t.gold", "0-0 1?1", "", "0-0 1-0", "")
    exam = read_exam(path, gold=gold)
    assert exam.linked == (
        LinkedPair("a b", "x y", Gold(links((0, 0)), links((1, 1)))),
        LinkedPair("a b", "z", Gold(links((0, 0), (1, 0)))),
    )
    assert len(exam.held_out) == 2


def test_words_may_be_counted_from_one_and_marks_may_count(written):
    path = written("t.tsv", "it's me.\tc'est moi.")
    gold = written("t.gold", "1-1 3p3")
    (pair,) = read_exam(path, gold=gold, counted_from=1, linked_words="split").linked
    assert pair.gold == Gold(links((0, 0)), links((2, 2)))
    assert pair.target_words == ("c'", "est", "moi", ".")
    with pytest.raises(InputError, match="one of 2 source words, got number 3"):
        read_exam(path, gold=gold, counted_from=1)


@pytest.mark.parametrize("read", [gold_of, links_of], ids=["gold", "links"])
def test_a_file_without_a_word_0_must_say_how_it_counts(written, read):
    path = written("t.gold", "1-1 2-2", "", "3-1")
    with pytest.raises(InputError, match=r"t\.gold: no link has a word 0.*counted from 1"):
        read(path)
    assert len(read(path, 0)) == len(read(path, 1)) == 3
    assert len(read(written("zero", "1-1", "0-2"))) == 2


@pytest.mark.parametrize(
    ("lines", "gold", "complaint"),
    [
        (["a\tx", "alone"], None, r"test, line 2: needs source and translation separated by a tab"),
        (["", "\t"], None, r"test: needs at least one pair, got 2 lines"),
        (["a\tx", "b\ty"], ["0-0"], r"gold, line 2: needs a line for each of 2 sentences"),
        (["a\tx"], ["0-0", "0-0"], r"gold, line 2: needs a line for each of 1 sentences, got more"),
        (["a\tx"], ["0-1"], r"gold, line 1: a link needs one of 1 target words"),
        (["a\tx"], ["0~1"], r"gold, line 1: needs links such as 0-0"),
    ],
)
def test_bad_data_is_named_by_file_and_line(written, lines, gold, complaint):
    path = written("test", *lines)
    with pytest.raises(InputError, match=complaint):
        read_exam(path, gold=gold and written("gold", *gold))


def test_a_test_without_files_or_with_two_standard_inputs_is_refused():
    with pytest.raises(InputError, match="needs a file to be read from"):
        read_exam()
    with pytest.raises(InputError, match="named twice"):
        read_exam("-", gold="-")
    with pytest.raises(InputError, match="counted from 1, got 0 and 2"):
        read_exam("x.tsv", columns=(0, 2))


def test_translations_have_a_line_for_each_source_or_for_each_line(written):
    exam = read_exam(written("t.tsv", "a\tx", "", "a\tz", "b\ty"))
    assert exam.read_texts(written("sources", "X ", "")) == ["X", ""]
    assert exam.read_texts(written("lines", "X", "", "X", "Y")) == ["X", "Y"]
    complaint = r"three: needs 2 lines, one for each source, or 4, one for each line.*, got 3"
    with pytest.raises(InputError, match=complaint):
        exam.read_texts(written("three", "X", "Y", "Z"))


def test_the_grammar_tests_on_sentences_it_never_trains_on():
    exam = grammar_exam(sentences=7, max_words=9)
    assert len(exam.held_out) == len(exam.linked) == 7
    for one, pair in zip(exam.held_out, exam.linked, strict=True):
        assert split_of(one.source_words) == "test"
        assert len(one.source_words) <= 9
        assert pair == LinkedPair(
            one.source, one.references[0], Gold(one.alignment), one.source_words, one.target_words
        )
    assert grammar_exam(sentences=7, max_words=9, seed=2) != exam
    with pytest.raises(InputError, match="at least one sentence, got 0"):
        grammar_exam(sentences=0)
