"""Pairs out of files: layouts, references, alignments, filters and their counts."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.pairs import Columns, Counts, Filters, JsonLines, group_by_source, read_pairs
from regard.errors import InputError


def put(path, text: str):
    path.write_text(text, encoding="utf-8", newline="")
    return path


def plain(pairs):
    return [(pair.source, pair.references) for pair in pairs]


def test_columns_are_read_and_others_ignored(tmp_path):
    path = put(tmp_path / "a.tsv", "a cat\tun chat\tnote\n a dog \t un chien\n")
    assert plain(read_pairs(path)) == [("a cat", ("un chat",)), ("a dog", ("un chien",))]


def test_columns_can_be_chosen(tmp_path):
    path = put(tmp_path / "a.tsv", "7\tun chat\ta cat\tle chat\n")
    layout = Columns(source=2, references=(1, 3))
    assert plain(read_pairs(path, layout=layout)) == [("a cat", ("un chat", "le chat"))]


def test_a_missing_column_is_named_by_file_and_line(tmp_path):
    path = put(tmp_path / "a.tsv", "a\tb\nonly one\n")
    with pytest.raises(InputError, match=r"a\.tsv, line 2: needs 2 columns .* got 1"):
        list(read_pairs(path))


def test_two_files_are_parallel_and_more_are_references(tmp_path):
    source = put(tmp_path / "a.en", "one\ntwo\n")
    first, second = put(tmp_path / "a.fr", "un\ndeux\n"), tmp_path / "b.fr.gz"
    second.write_bytes(gzip.compress(b"une\n\n"))
    assert plain(read_pairs(source, first)) == [("one", ("un",)), ("two", ("deux",))]
    assert plain(read_pairs(source, first, second)) == [("one", ("un", "une")), ("two", ("deux",))]


@pytest.mark.parametrize("name", ["a.jsonl", "a.JSONL.gz", "a.ndjson"])
def test_json_lines_are_known_by_their_name(tmp_path, name):
    rows = [{"source": "one", "target": "un"}, {"source": "two", "target": ["deux", "2"], "x": 1}]
    content = "\n".join(map(json.dumps, rows)).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    expected = [("one", ("un",)), ("two", ("deux", "2"))]
    assert plain(read_pairs(tmp_path / name)) == expected


def test_fields_of_json_can_be_chosen(tmp_path):
    path = put(tmp_path / "a.txt", '{"en": "one", "fr": "un", "al": [[0, 0]]}\n')
    (pair,) = read_pairs(path, layout=JsonLines(source="en", target="fr", alignment="al"))
    assert (pair.source, pair.target, pair.alignment) == ("one", "un", {(0, 0)})


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "needs a JSON object, .* at column 2"),
        ("[1]", "needs a JSON object, got list"),
        ("[" * 100_000, "needs a JSON object"),
        ('{"source": "a"}', "needs text in the field 'target', got nothing"),
        ('{"source": 3, "target": "b"}', "needs text in the field 'source', got int"),
        ('{"source": "a", "target": ["b", null]}', "needs text in the field 'target', got nothing"),
        ('{"source": "\\ud800", "target": "b"}', "half a character .* field 'source'"),
        ('{"source": "a", "target": "b", "alignment": [[0]]}', "needs links such as"),
        ('{"source": "a", "target": "b", "alignment": [[0, -1]]}', "needs links such as"),
        ('{"source": "a", "target": "b", "alignment": [[0, true]]}', "needs links such as"),
    ],
)
def test_bad_json_is_named_by_file_and_line(tmp_path, line, complaint):
    good = '{"source": "a", "target": "b"}'
    path = put(tmp_path / "a.jsonl", f"{good}\n{line}\n")
    with pytest.raises(InputError, match=rf"a\.jsonl, line 2: {complaint}"):
        list(read_pairs(path))


def test_text_is_composed(tmp_path):
    path = put(tmp_path / "a.tsv", "cafe\u0301\te\u0301te\u0301\n")
    assert plain(read_pairs(path)) == [("caf\u00e9", ("\u00e9t\u00e9",))]


def test_blank_and_uneven_and_short_and_long_lines_are_counted_by_reason(tmp_path):
    rows = ["a b\tc d", "", "\t", "a\t ", "a b c d e f\tb c d e f g", "a b c\td e f g h"]
    rows += ["x\ty", "b c\td e f g", "b c\td e f g h"]
    filters = Filters(min_length=2, max_length=5, max_ratio=2.0)
    pairs = read_pairs(put(tmp_path / "a.tsv", "\n".join(rows)), filters=filters)
    assert [pair.source for pair in pairs] == ["a b", "a b c", "b c"]
    skipped = (("blank", 3), ("too long", 1), ("too short", 1), ("uneven", 1))
    assert pairs.counts == Counts(9, 3, skipped)
    assert str(pairs.counts) == (
        "read 9 lines, kept 3; skipped 3 blank, 1 too long, 1 too short, 1 uneven"
    )


def test_lengths_can_be_counted_in_characters(tmp_path):
    path = put(tmp_path / "a.tsv", "日本語\tJapanese\n日本\tJapan\n")
    kept = read_pairs(path, filters=Filters(unit="characters", max_length=7))
    assert [pair.source for pair in kept] == ["日本"]


def test_a_reference_that_fails_goes_and_takes_its_alignment_with_it(tmp_path):
    path = put(tmp_path / "a.jsonl", '{"source":"a","target":["b c d","e"],"alignment":"0-2"}')
    (pair,) = read_pairs(path, filters=Filters(max_length=2))
    assert (pair.references, pair.alignment) == (("e",), None)


def test_counts_start_again_with_every_reading(tmp_path):
    pairs = read_pairs(put(tmp_path / "a.tsv", "a\tb\n\nc\td\n"))
    for _ in range(2):
        list(pairs)
        assert pairs.counts == Counts(3, 2, (("blank", 1),))


def test_a_file_of_which_nothing_is_left_is_refused_with_the_counts(tmp_path):
    path = put(tmp_path / "a.tsv", "a b c\td\n\n")
    with pytest.raises(InputError, match=r"a\.tsv: needs at least one pair, read 2 lines, kept 0;"):
        list(read_pairs(path, filters=Filters(max_ratio=2.5)))


def test_alignments_stand_in_a_column_and_may_be_missing(tmp_path):
    path = put(tmp_path / "a.tsv", "a b\tc d e\t0-2 1-0\nf\tg\t\nh\ti\n")
    pairs = read_pairs(path, layout=Columns(alignment=2))
    assert [pair.alignment for pair in pairs] == [{(0, 2), (1, 0)}, None, None]


def test_alignments_stand_in_a_file_of_their_own_with_blank_lines(tmp_path):
    source, target = put(tmp_path / "a.en", "a b\n\nc\n"), put(tmp_path / "a.fr", "d\nx\ne\n")
    links = put(tmp_path / "links", "1-0\n0-0\n\n")
    pairs = read_pairs(source, target, alignments=links)
    assert [(pair.source, pair.alignment) for pair in pairs] == [("a b", {(1, 0)}), ("c", None)]


@pytest.mark.parametrize(
    ("links", "complaint"),
    [
        ("0-0\n", r"links, line 2: needs a line \(blank without gold\) for every line of .*a\.tsv"),
        ("0-0\n\n\n", r"links, line 3: needs as many lines as .*a\.tsv, which ends after line 2"),
        ("0-0\n0:0\n", r"links, line 2: needs links such as 0-0 1-2 .*, got '0:0'"),
        ("0-0\n1-0\n", r"links, line 2: link 1-0 points at source word 1, but there are 1"),
        ("0-1\n\n", r"links, line 1: link 0-1 points at target word 1, but there are 1"),
    ],
)
def test_bad_alignments_are_named_by_file_and_line(tmp_path, links, complaint):
    path = put(tmp_path / "a.tsv", "a\tb\nc\td\n")
    with pytest.raises(InputError, match=complaint):
        list(read_pairs(path, alignments=put(tmp_path / "links", links)))


def test_a_link_beyond_the_words_of_a_column_is_refused(tmp_path):
    path = put(tmp_path / "a.tsv", "a b\tc\t0-0 2-0\n")
    with pytest.raises(InputError, match=r"a\.tsv, line 1: link 2-0 points at source word 2"):
        list(read_pairs(path, layout=Columns(alignment=2)))


def test_neighbours_with_one_source_are_grouped(tmp_path):
    rows = "one\tun\none\tune\ntwo\tdeux\none\tun\none\tun\n"
    assert plain(group_by_source(read_pairs(put(tmp_path / "a.tsv", rows)))) == [
        ("one", ("un", "une")),
        ("two", ("deux",)),
        ("one", ("un",)),
    ]


def test_no_file_and_two_standard_inputs_are_refused():
    with pytest.raises(InputError, match="need a file to be read from"):
        read_pairs()
    with pytest.raises(InputError, match="named twice"):
        read_pairs("-", "-")
    with pytest.raises(InputError, match="named twice"):
        read_pairs("-", alignments="-")


def test_a_layout_of_one_file_refuses_two_and_one_of_two_refuses_one(tmp_path):
    with pytest.raises(InputError, match="need one file, got 2"):
        list(read_pairs("a", "b", layout=Columns()))


WORDS = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=4)
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


@settings(max_examples=30)
@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1))
def test_columns_parallel_files_and_json_give_the_same_pairs(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("pairs")
    columns = put(folder / "a.tsv", "".join(f"{a}\t{b}\r\n" for a, b in rows))
    source = put(folder / "a.en", "".join(f"{a}\n" for a, _ in rows))
    target = put(folder / "a.fr", "".join(f"{b}\n" for _, b in rows))
    objects = [json.dumps({"source": a, "target": b}) for a, b in rows]
    lines = put(folder / "a.jsonl", "\n".join(objects))
    first = plain(read_pairs(columns))
    assert first == plain(read_pairs(source, target)) == plain(read_pairs(lines))
    assert len(first) == len(rows)
