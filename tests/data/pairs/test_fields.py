"""Pairs by name: headers of TSV and CSV, fields of JSON, as other tools write them."""

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.pairs import Columns, Csv, read_pairs
from regard.errors import InputError


def put(path, text):
    path.write_text(text, encoding="utf-8", newline="")
    return path


def plain(pairs):
    return [(pair.source, pair.target) for pair in pairs]


EXPECTED = [("one", "un"), ("two, too", 'deux "2"')]

FILES = {
    "header.tsv": 'id\tfr\ten\n1\tun\tone\n2\tdeux "2"\ttwo, too\n',
    "header.csv": 'id,fr,en\r\n1,un,one\r\n2,"deux ""2""","two, too"\r\n',
    "hugging_face.jsonl": '{"id": 1, "translation": {"en": "one", "fr": "un"}}\n'
    '{"translation": {"en": "two, too", "fr": "deux \\"2\\""}}\n',
    "flat.jsonl": '{"en": "one", "fr": "un"}\n{"en": "two, too", "fr": "deux \\"2\\""}\n',
    "array.json": '[{"en": "one", "fr": "un"}, {"en": "two, too", "fr": "deux \\"2\\""}]',
    "nested.json": json.dumps([{"translation": {"en": a, "fr": b}} for a, b in EXPECTED], indent=2),
}


@pytest.mark.parametrize("name", FILES)
def test_source_and_target_are_found_by_name(tmp_path, name):
    path = put(tmp_path / name, FILES[name])
    assert plain(read_pairs(path, fields=("en", "fr"))) == EXPECTED
    assert plain(read_pairs(path, fields=("fr", "en"))) == [pair[::-1] for pair in EXPECTED]


def test_a_csv_without_header_has_its_columns_in_order(tmp_path):
    path = put(tmp_path / "a.csv", 'one,un\n"two, too","deux ""2"""\n')
    assert plain(read_pairs(path)) == EXPECTED
    assert plain(read_pairs(path, fields=(1, 0))) == [pair[::-1] for pair in EXPECTED]


def test_a_csv_that_names_source_and_target_needs_no_fields(tmp_path):
    path = put(tmp_path / "a.csv", "target,note,source\nun,x,one\n")
    assert plain(read_pairs(path)) == [("one", "un")]


def test_a_header_can_be_skipped_without_names(tmp_path):
    path = put(tmp_path / "a.tsv", "anglais\tfrançais\none\tun\n")
    assert plain(read_pairs(path, layout=Columns(header=True))) == [("one", "un")]
    assert len(plain(read_pairs(path))) == 2


def test_semicolons_and_columns_of_references_and_links(tmp_path):
    path = put(tmp_path / "a.csv", "en;fr;autre;al\na b;c d;e;0-1\n")
    layout = Csv(separator=";", source="en", references=("fr", "autre"), alignment="al")
    (pair,) = read_pairs(path, layout=layout)
    assert (pair.source, pair.references, pair.alignment) == ("a b", ("c d", "e"), {(0, 1)})


def test_a_quoted_line_end_is_a_space_and_lines_are_still_counted(tmp_path):
    path = put(tmp_path / "a.csv", 'en,fr\n"one\nmore","un"\n\ntwo,deux\n')
    pairs = list(read_pairs(path, fields=("en", "fr")))
    assert plain(pairs) == [("one more", "un"), ("two", "deux")]
    assert [pair.place.line for pair in pairs] == [2, 5]


def test_links_in_a_file_beside_a_header_have_a_line_per_pair(tmp_path):
    path = put(tmp_path / "a.tsv", "en\tfr\na\tb\nc\td\n")
    links = put(tmp_path / "links", "0-0\n\n")
    pairs = read_pairs(path, fields=("en", "fr"), alignments=links)
    assert [pair.alignment for pair in pairs] == [{(0, 0)}, None]
    put(links, "0-0\n")
    with pytest.raises(InputError, match=r"links, line 2: needs a line .* but ends after line 1"):
        list(pairs)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.tsv", "de\tfr\nx\ty\n", "line 1: needs a header with a column 'en', got de, fr"),
        ("a.csv", "en,fr\nonly\n", "line 2: needs 2 columns separated by commas, got 1"),
        ("a.csv", 'en,fr\none,un\n"two,deux\nx,y\n', "line 3: needs CSV with closed quotes"),
        ("a.csv", 'en,fr\n"o"ne,un\n', "line 2: needs CSV with closed quotes, ',' expected"),
        ("a.jsonl", '{"fr": "un"}', "line 1: needs text in the field 'en', got nothing; .* fr"),
        (
            "a.jsonl",
            '{"translation": {"de": "eins"}}',
            "line 1: needs text in the field 'en', got nothing; there are translation, de",
        ),
        ("a.json", '[\n{"en": "a", "fr": "b"},\n{"en": 3, "fr": "b"}]', "line 3: .* got int"),
        ("a.json", '[\n{"en": "a", "fr": "b"},\n{"en" "b"}]', "line 3: needs a JSON object, .* 7"),
        ("a.json", '[{"en": "a", "fr": "b"}\n{}]', "line 1: needs a comma or a bracket"),
        ("a.json", '[{"en": "a", "fr": "b"}', "line 1: needs a comma or a bracket"),
        ("a.json", '[{"en": "a", "fr": "b"}]\n{}', "line 1: needs one JSON array, got more"),
        ("a.json", '[{"en": "a", "fr": "b"},\n7]', "line 2: needs a JSON object, got int"),
        ("a.json", "[]", "needs at least one pair, read 0 lines"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_line(tmp_path, name, text, complaint):
    path = put(tmp_path / name, text)
    with pytest.raises(InputError, match=rf"{name}(, |: ){complaint}"):
        list(read_pairs(path, fields=("en", "fr")))


def test_fields_need_a_file_that_has_them_and_no_layout_beside():
    with pytest.raises(InputError, match="are those of one file, got 2 files"):
        read_pairs("a.en", "a.fr", fields=("en", "fr"))
    with pytest.raises(InputError, match="layout and fields both"):
        read_pairs("a.tsv", layout=Columns(), fields=("en", "fr"))


TEXT = st.text(st.characters(codec="utf-8", categories=["L", "P", "S"]), min_size=1, max_size=8)


@settings(max_examples=40)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_what_the_csv_and_json_modules_write_comes_back(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("fields")
    table = io.StringIO()
    csv.writer(table).writerows([("en", "fr"), *rows])
    objects = [{"en": a, "fr": b} for a, b in rows]
    put(folder / "a.csv", table.getvalue())
    put(folder / "a.json", json.dumps(objects))
    put(folder / "b.json", json.dumps(objects, indent=1, ensure_ascii=False))
    put(folder / "a.jsonl", "\n".join(map(json.dumps, objects)))
    found = [plain(read_pairs(path, fields=("en", "fr"))) for path in sorted(folder.iterdir())]
    assert len(found[0]) == len(rows)
    assert found == [found[0]] * 4
