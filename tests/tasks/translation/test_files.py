"""A user's own pairs, however they are written."""

import gzip
import io
import json
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.batches import Batches
from regard.data.batches.stream import BatchConfig
from regard.data.pairs import Filters
from regard.errors import InputError
from regard.tasks.translation import FileData, VocabularyConfig

PAIRS = [(f"mot {n} bleu", f"blue word {n}") for n in range(30)]
LINKS = frozenset({(0, 1), (1, 2), (2, 0)})


def columns(folder):
    path = folder / "pairs.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    return {"train": (str(path),)}


def swapped(folder):
    path = folder / "swapped.tsv"
    path.write_text("".join(f"{n}\t{t}\tno\t{s}\n" for n, (s, t) in enumerate(PAIRS)))
    return {"train": (str(path),), "columns": (4, 2)}


def packed(folder):
    path = folder / "pairs.tsv.gz"
    path.write_bytes(gzip.compress("".join(f"{s}\t{t}\n" for s, t in PAIRS).encode()))
    return {"train": (str(path),)}


def parallel(folder):
    for name, side in (("fr", 0), ("en", 1)):
        (folder / name).write_text("".join(f"{pair[side]}\n" for pair in PAIRS))
    return {"train": (str(folder / "fr"), str(folder / "en"))}


def json_lines(folder):
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps({"source": s, "target": t}) + "\n" for s, t in PAIRS))
    return {"train": (str(path),)}


def header(folder):
    path = folder / "named.csv"
    path.write_text("en,n,fr\n" + "".join(f'"{t}",{n},"{s}"\n' for n, (s, t) in enumerate(PAIRS)))
    return {"train": (str(path),), "fields": ("fr", "en")}


def array(folder):
    path = folder / "pairs.json"
    path.write_text(json.dumps([{"translation": {"en": t, "fr": s}} for s, t in PAIRS]))
    return {"train": (str(path),), "fields": ("fr", "en")}


WAYS = (columns, swapped, packed, parallel, json_lines, header, array)
LAYOUTS = {one.__name__: one for one in WAYS}


def trained(data):
    return [(example.source, example.target) for example in data.texts()]


def validated(data):
    return [(one.source, one.references[0]) for one in data.held_out()]


def given_on_standard_input(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(text))))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_pairs_and_keeps_the_same_ones_back(layout, tmp_path):
    data = FileData(**LAYOUTS[layout](tmp_path), kept_back=0.2)
    assert sorted(trained(data) + validated(data)) == sorted(PAIRS)
    plain = FileData(**columns(tmp_path), kept_back=0.2)
    assert validated(data) == validated(plain)
    assert trained(data) == [pair for pair in PAIRS if pair not in validated(plain)]


def test_every_call_reads_anew(tmp_path):
    data = FileData(**columns(tmp_path))
    assert trained(data) == trained(data) != []


def test_the_standard_input_is_read_once_and_used_as_often_as_needed(monkeypatch):
    text = "".join(f"{source}\t{target}\n" for source, target in PAIRS).encode()
    given_on_standard_input(monkeypatch, text)
    data = FileData(train=("-",), kept_back=0.2)
    assert trained(data) == trained(data)
    assert sorted(trained(data) + validated(data)) == sorted(PAIRS)
    assert [one.source for one in data.samples()] == [pair[0] for pair in validated(data)[:3]]


def test_pairs_to_validate_on_may_come_from_the_standard_input(monkeypatch, tmp_path):
    given_on_standard_input(monkeypatch, b"un\tone\ndeux\ttwo\n")
    data = FileData(**columns(tmp_path), valid=("-",))
    assert validated(data) == [("un", "one"), ("deux", "two")]
    assert [one.source for one in data.samples()] == ["un", "deux"]


def test_with_a_file_to_validate_on_nothing_is_kept_back(tmp_path):
    (tmp_path / "valid.tsv").write_text("un\tone\n")
    data = FileData(**columns(tmp_path), valid=(str(tmp_path / "valid.tsv"),), kept_back=0.9)
    assert trained(data) == PAIRS
    assert validated(data) == [("un", "one")]


@settings(max_examples=20)
@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=40), st.floats(0.05, 0.95))
def test_no_source_is_both_trained_and_validated_on(tmp_path_factory, words, share):
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    path.write_text("".join(f"{word}\tt{n}\n" for n, word in enumerate(words)))
    data = FileData(train=(str(path),), kept_back=share)
    learned = {source for source, _ in trained(data)}
    try:
        kept = {source for source, _ in validated(data)}
    except InputError:
        kept = set()
    assert learned.isdisjoint(kept)
    assert learned | kept == set(words)


def test_what_is_kept_back_depends_on_the_source_alone(tmp_path):
    data = FileData(**columns(tmp_path), kept_back=0.3)
    kept = {source for source, _ in validated(data)}
    (tmp_path / "other.tsv").write_text(
        "".join(f"{source}\tother\n" for source, _ in reversed(PAIRS[::2]))
    )
    other = FileData(train=(str(tmp_path / "other.tsv"),), kept_back=0.3)
    there = {source for source, _ in PAIRS[::2]}
    assert {source for source, _ in validated(other)} == kept & there


def test_about_the_share_that_was_asked_for_is_kept_back(tmp_path):
    path = tmp_path / "many.tsv"
    path.write_text("".join(f"source {n}\ttarget\n" for n in range(700)))
    data = FileData(train=(str(path),), kept_back=0.1)
    assert 40 < len(validated(data)) < 100
    few = FileData(train=(str(path),), kept_back=0.1, valid_size=7)
    assert validated(few) == validated(data)[:7]
    assert len(trained(few)) == len(trained(data))


def test_all_references_of_a_source_stand_together_wherever_they_are(tmp_path):
    path = tmp_path / "valid.tsv"
    path.write_text("chat\tcat\nsouris\tmouse\nchat\tkitty\nchat\tcat\n")
    data = FileData(**columns(tmp_path), valid=(str(path),))
    found = [(one.source, one.references) for one in data.held_out()]
    assert found == [("chat", ("cat", "kitty")), ("souris", ("mouse",))]


def test_every_reference_is_trained_on(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"source": "chat", "target": ["cat", "kitty"]}) + "\n")
    (tmp_path / "valid.tsv").write_text("un\tone\n")
    data = FileData(train=(str(path),), valid=(str(tmp_path / "valid.tsv"),))
    assert trained(data) == [("chat", "cat"), ("chat", "kitty")]


def test_filters_are_for_training_and_tell_how_many_they_left_out(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("un\tone\n\t\nun deux trois\tone two three\nun\tone two\n\tblank\n")
    filters = Filters(max_length=2, max_ratio=1.5)
    data = FileData(train=(str(path),), valid=(str(path),), filters=filters)
    assert trained(data) == [("un", "one")]
    assert str(data.counts) == "read 5 lines, kept 1; skipped 2 blank, 1 too long, 1 uneven"
    assert [one.references for one in data.held_out()] == [
        ("one", "one two"),
        ("one two three",),
    ]


def test_gold_links_go_with_their_lines(tmp_path):
    given = columns(tmp_path)
    lines = ["0-1 1-2 2-0" if n % 2 else "" for n in range(len(PAIRS))]
    (tmp_path / "links").write_text("\n".join(lines) + "\n")
    links = str(tmp_path / "links")
    data = FileData(**given, valid=given["train"], alignments=links, valid_alignments=links)
    wanted = [LINKS if n % 2 else None for n in range(len(PAIRS))]
    assert [example.alignment for example in data.texts()] == wanted
    assert [one.alignment for one in data.held_out()] == wanted


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"bad, line 1: needs at least one line, the file is empty"),
        (b"a\tb\nc\n", r"bad, line 2: needs 2 columns"),
        (b"a\tb\n\xff\tc\n", r"bad, line 2: needs UTF-8"),
        (b"\n\n", r"bad: needs at least one pair, read 2 lines, kept 0; skipped 2 blank"),
    ],
    ids=["empty", "columns", "bytes", "blank"],
)
def test_bad_files_are_refused_with_file_and_line(tmp_path, content, message):
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(InputError, match=message):
        trained(FileData(train=(str(tmp_path / "bad"),)))


def test_files_of_different_lengths_are_refused(tmp_path):
    (tmp_path / "a").write_text("un\ndeux\n")
    (tmp_path / "b").write_text("one\n")
    with pytest.raises(InputError, match="b, line 2: needs as many lines as"):
        trained(FileData(train=(str(tmp_path / "a"), str(tmp_path / "b"))))


def test_too_few_sentences_to_keep_some_back_is_said(tmp_path):
    (tmp_path / "one.tsv").write_text("un\tone\n")
    with pytest.raises(InputError, match=r"one\.tsv: too few sentences to keep some back"):
        FileData(train=(str(tmp_path / "one.tsv"),), kept_back=0.001).held_out()


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": (0, 1)},
        {"columns": (1, 2), "fields": ("fr", "en")},
        {"kept_back": 0},
        {"kept_back": 1},
        {"train": ()},
        {"lang": "fr"},
    ],
)
def test_values_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        FileData(**{"train": ("pairs.tsv",), **wrong})


def test_pools_hold_the_pairs_that_are_trained_on(tmp_path):
    data = FileData(**columns(tmp_path), kept_back=0.2)
    vocabularies = VocabularyConfig(level="words", sharing="separate").learn(data)
    batches = Batches(data.pools(vocabularies), BatchConfig(max_tokens=40))
    found = []
    for batch in batches:
        found += [vocabularies.target.decode(row) for row in batch.target_out.tolist()]
    assert sorted(found) == sorted(target for _, target in trained(data))


def test_it_comes_back_from_its_file_though_it_was_read(tmp_path):
    data = FileData(**columns(tmp_path))
    trained(data)
    assert FileData.model_validate_json(data.model_dump_json()) == data


def test_links_count_words_and_marks_if_told_so(tmp_path):
    (tmp_path / "pairs.tsv").write_text("I love you.\tJe t'aime.\n")
    (tmp_path / "links").write_text("0-0 1-2 2-1 3-3\n")
    files = {
        "train": (str(tmp_path / "pairs.tsv"),),
        "valid": (str(tmp_path / "pairs.tsv"),),
        "alignments": str(tmp_path / "links"),
        "valid_alignments": str(tmp_path / "links"),
    }
    data = FileData(**files, linked_words="split")
    (example,), (held_out,) = data.texts(), data.held_out()
    words = ("I", "love", "you", "."), ("Je", "t'", "aime", ".")
    assert (example.source_words, example.target_words) == words
    assert (held_out.source_words, held_out.target_words) == words
    assert example.alignment == held_out.alignment == {(0, 0), (1, 2), (2, 1), (3, 3)}
    with pytest.raises(InputError, match="link 1-2 points at target word 2, but there are 2"):
        list(FileData(**files).texts())


def test_phrases_of_aligned_pairs_are_learned_beside_them(tmp_path):
    given = columns(tmp_path)
    (tmp_path / "links").write_text("0-1 1-2 2-0\n" * len(PAIRS))
    data = FileData(**given, valid=given["train"], alignments=str(tmp_path / "links"), phrases=1.0)
    others = [pair for pair in trained(data) if pair not in PAIRS]
    assert len(others) == len(PAIRS)
    assert set(others) <= {(f"mot {n}", f"word {n}") for n in range(30)}
