"""Annotated text from files: what is read, and a sentence for what cannot be."""

import gzip

import pytest

from regard.data.annotated import read_labelled, read_tagged
from regard.data.vocabulary.plain_words import PlainWords, PlainWordsLearner, treebank_words
from regard.errors import InputError

CONLLU = """# sent_id = 1
# text = Don't go.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
3.1\tyou\tyou\tPRON\tPRP\t_\t_\t_\t_\t_
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_


1\t_\t_\tPUNCT\tNFP\t_\t0\troot\t_\t_
"""


def written(folder, name, text):
    path = folder / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz"])
def test_conllu_gives_words_of_the_tree_and_its_text(tmp_path, name):
    first, second = read_tagged(written(tmp_path, name, CONLLU))
    assert first.words == ("Do", "n't", "go", ".")
    assert first.labels == ("AUX", "PART", "VERB", "PUNCT")
    assert first.text == "Don't go."
    assert first.place.line == 4
    assert (second.words, second.labels) == (("_",), ("PUNCT",))


def test_another_column_of_conllu_may_be_the_tag(tmp_path):
    path = written(tmp_path, "a.conllu", CONLLU)
    assert next(read_tagged(path, column="xpos")).labels == ("VB", "RB", "VB", ".")
    with pytest.raises(InputError, match="has the columns form, lemma, upos"):
        next(read_tagged(path, column="pos"))


def test_other_annotations_are_read_beside_the_tag_and_may_be_blank(tmp_path):
    path = written(tmp_path, "a.conllu", CONLLU)
    first = next(read_tagged(path, also=("xpos", "feats", 8)))
    assert first.labels == ("AUX", "PART", "VERB", "PUNCT")
    assert first.also == (
        ("VB", "RB", "VB", "."),
        ("_", "_", "_", "_"),
        ("aux", "advmod", "root", "punct"),
    )
    path = written(tmp_path, "a.tsv", "The\tDET\tx\ncat\tNOUN\t\n")
    assert next(read_tagged(path, also=(3,))).also == (("x", ""),)
    path = written(tmp_path, "a.jsonl", '{"words": ["a"], "tags": ["X"], "case": ["upper"]}\n')
    assert next(read_tagged(path, also=("case",))).also == (("upper",),)
    with pytest.raises(InputError, match="in the fields 'words' and 'tags' and 'lemmas'"):
        next(read_tagged(path, also=("lemmas",)))


def test_words_and_tags_stand_in_two_columns_and_sentences_between_blank_lines(tmp_path):
    path = written(tmp_path, "a.tsv", "The\tDET\ncat\tNOUN\n\n\n#\tSYM\n")
    assert [(one.words, one.labels) for one in read_tagged(path)] == [
        (("The", "cat"), ("DET", "NOUN")),
        (("#",), ("SYM",)),
    ]


def test_json_has_lists_of_words_and_tags(tmp_path):
    path = written(tmp_path, "a.jsonl", '{"words": ["a", "b"], "tags": ["X", "Y"]}\n')
    assert next(read_tagged(path)).labels == ("X", "Y")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.tsv", "The\tDET\ncat\n", "a.tsv, line 2: needs a word and its tag with a tab"),
        ("a.tsv", "The\tDET\n\tNOUN\n", "line 2: needs a word before its tag"),
        ("a.tsv", "The\t\n", "line 1: needs a tag for the word 'The'"),
        ("a.tsv", "\n\n", "needs at least one sentence"),
        ("a.conllu", "The\tDET\n", "line 1: CoNLL-U needs ten columns separated by tabs, got 2"),
        ("a.conllu", CONLLU.replace("AUX", "_"), "line 4: needs a tag for the word 'Do'"),
        ("a.jsonl", '{"words": ["a"], "tags": []}', "line 1: needs lists of as many words as tags"),
        ("a.jsonl", "{", "line 1: needs a JSON object"),
    ],
)
def test_bad_tags_are_told_by_file_and_line(tmp_path, name, text, said):
    with pytest.raises(InputError, match=said):
        list(read_tagged(written(tmp_path, name, text)))


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("a.tsv", "good\tA  fine film.\nbad\tNo.\n", None),
        ("a.tsv", "text\tlabel\nA fine film.\tgood\nNo.\tbad\n", None),
        ("a.csv", 'good,"A fine\nfilm."\nbad,No.\n', None),
        ("a.csv", "id,review,stars\n1,A fine film.,good\n2,No.,bad\n", ("stars", "review")),
        ("a.tsv", "1\tA fine film.\tgood\n2\tNo.\tbad\n", (3, 2)),
        (
            "a.jsonl",
            '{"label": "good", "text": "A fine film."}\n{"label": "bad", "text": "No."}',
            None,
        ),
        ("a.jsonl", '{"y": "good", "x": "A fine film."}\n{"y": "bad", "x": "No."}', ("y", "x")),
    ],
)
def test_labels_and_texts_are_read_from_columns_and_json(tmp_path, name, text, columns):
    found = list(read_labelled(written(tmp_path, name, text), columns=columns))
    assert [(*one.labels, one.text) for one in found] == [("good", "A fine film."), ("bad", "No.")]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.tsv", "good\n", "a.tsv, line 1: needs label and text in 2 columns separated by tabs"),
        ("a.tsv", "good\tfilm\n\tfilm\n", "line 2: needs a label before its text"),
        ("a.tsv", "good\t \n", "line 1: needs a text of the label 'good'"),
        ("a.csv", 'good,"film\n', "line 1: needs CSV with closed quotes"),
        ("a.jsonl", '{"label": "x"}', "line 1: needs a label in the field 'label' and text"),
    ],
)
def test_bad_labels_are_told_by_file_and_line(tmp_path, name, text, said):
    with pytest.raises(InputError, match=said):
        list(read_labelled(written(tmp_path, name, text)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't know.", ["I", "do", "n't", "know", "."]),
        ("She's here, we’ll go!", ["She", "'s", "here", ",", "we", "’ll", "go", "!"]),  # noqa: RUF001
        ("You cannot e-mail me@here.org", ["You", "can", "not", "e-mail", "me@here.org"]),
        (
            "At 10:30, Mr. Bo paid $1,000...",
            ["At", "10:30", ",", "Mr.", "Bo", "paid", "$", "1,000", "..."],
        ),
    ],
)
def test_english_is_cut_as_its_treebanks_have_it(text, words):
    assert treebank_words(text) == words


def test_plain_words_are_looked_up_in_lower_case_and_come_back_from_a_file():
    learned = PlainWordsLearner(min_count=2).learn(["The cat. the dog.", "A cat"])
    again = PlainWords.from_content(learned.content())
    for one in (learned, again):
        assert one.pieces("THE cat!") == ["THE", "cat", "!"]
        ids = one.ids(["THE", "the", "cat", "dog"])
        assert ids[0] == ids[1] != one.unk
        assert ids[3] == one.unk
