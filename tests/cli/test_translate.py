"""``regard translate``: as many lines out as in, whatever is in them."""

import io
import json
import os
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.translating import SOURCES, TEXTS, by_heart, untrained
from regard.cli import models
from regard.cli.app import main
from regard.cli.computing import ComputeOptions, PaceOptions
from regard.cli.console import arriving
from regard.zoo import ZOO

HOSTILE = [
    b"",
    b" \t ",
    "\u00a0".encode(),
    b"a\x00b",
    b"\xff\xfe\x80",
    "\u05e9\u05dc\u05d5\u05dd \u202eabc".encode(),
    "😀👩\u200d🚀".encode(),
    "日本語".encode(),
    b"\xed\xa0\x80",
    "one\u2028two\x0bthree\x85".encode(),
    b"\x1b[2J",
    b"tab\there",
]


@pytest.fixture
def knows(monkeypatch):
    """Lets the command find this translator, whatever it is asked for."""

    def put(translator):
        monkeypatch.setattr("regard.cli.translate.translator", lambda name, device: translator)

    put(by_heart())
    return put


@pytest.fixture
def stdin(monkeypatch):
    def put(content: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


def lines_of(text):
    return text.removesuffix("\n").split("\n")


def test_texts_are_translated_in_their_order(knows, capsys):
    assert main(["translate", *SOURCES]) == 0
    assert capsys.readouterr().out == "".join(f"{text}\n" for text in TEXTS)


def test_a_file_and_stdin_are_read_line_by_line(knows, stdin, tmp_path, capsys):
    path = tmp_path / "lines.txt"
    content = f"\ufeff{SOURCES[1]}\r\n\n{SOURCES[0]}".encode()
    path.write_bytes(content)
    assert main(["translate", "--file", str(path)]) == 0
    assert capsys.readouterr().out == f"{TEXTS[1]}\n\n{TEXTS[0]}\n"
    stdin(content)
    assert main(["translate"]) == 0
    assert capsys.readouterr().out == f"{TEXTS[1]}\n\n{TEXTS[0]}\n"


def test_nothing_in_is_nothing_out(knows, stdin, capsys):
    stdin(b"")
    assert main(["translate"]) == 0
    assert capsys.readouterr() == ("", "")


def test_alignments_stand_behind_a_tab(knows, capsys):
    assert main(["translate", SOURCES[0], "", "--alignments"]) == 0
    assert capsys.readouterr().out == f"{TEXTS[0]}\t0-0 1-2 2-1\n\t\n"


def test_json_holds_words_tokens_scores_and_weights(knows, capsys):
    assert main(["translate", SOURCES[1], " ", "--json"]) == 0
    first, second = map(json.loads, lines_of(capsys.readouterr().out))
    assert (first["source"], first["source_words"]) == ("red dress", ["red", "dress"])
    assert first["source_tokens"] == ["red", "dress"]
    [found] = first["translations"]
    assert (found["text"], found["words"], found["tokens"]) == (
        "robe rouge",
        ["robe", "rouge"],
        ["robe", "rouge"],
    )
    assert found["weights"] == [[0.0, 1.0], [1.0, 0.0]]
    assert (found["alignment"], found["finished"]) == ("0-1 1-0", True)
    assert found["log_prob"] < 0
    assert second["translations"][0]["text"] == ""


def test_several_translations_of_a_line_are_numbered(knows, capsys):
    words = ["--n-best", "3", "--beam", "4", "--alignments"]
    assert main(["translate", SOURCES[0], "", SOURCES[1], *words]) == 0
    rows = [line.split("\t") for line in lines_of(capsys.readouterr().out)]
    assert [row[0] for row in rows] == ["1", "1", "1", "2", "3", "3", "3"]
    assert all(len(row) == 4 for row in rows)
    assert [row[2] for row in rows if row[0] != "2"][::3] == TEXTS[:2]
    scores = [float(row[1]) for row in rows[:3]]
    assert scores == sorted(scores, reverse=True)


def test_every_search_is_reached(knows, capsys):
    for words in (["--search", "greedy"], ["--beam", "1"], ["--groups", "2", "--beam", "4"]):
        assert main(["translate", SOURCES[0], *words]) == 0
        assert capsys.readouterr().out == f"{TEXTS[0]}\n"
    assert main(["translate", SOURCES[0], "--max-length", "2"]) == 0
    assert capsys.readouterr().out == "le chat\n"


def test_the_same_seed_draws_the_same(knows, capsys):
    knows(untrained())
    said = []
    for seed in ("7", "7", "8"):
        words = ["--search", "sample", "--seed", seed, "--top-k", "9", "--temperature", "2"]
        assert main(["translate", "a b", *words]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != said[2]


def test_show_draws_on_stderr_and_leaves_stdout_alone(knows, capsys):
    assert main(["translate", SOURCES[0], "--show"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{TEXTS[0]}\n"
    assert "the black cat → le chat noir" in err
    assert [line.split()[0] for line in err.splitlines()[-3:]] == ["le", "chat", "noir"]


def test_without_a_name_the_device_is_the_gpu_if_there_is_one(monkeypatch):
    for there, device in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr("torch.cuda.is_available", lambda there=there: there)
        assert {options().start() for options in (ComputeOptions, PaceOptions)} == {device}


def test_json_accounts_for_all_of_the_weight(knows, capsys):
    knows(untrained("transformer-tiny", level="words"))
    assert main(["translate", "red dress", "--json", "--max-length", "9"]) == 0
    [one] = json.loads(capsys.readouterr().out)["translations"]
    for row, end in zip(one["weights"], one["end"], strict=True):
        assert sum(row) + end == pytest.approx(1, abs=1e-4)


def test_a_drawing_through_a_pipe_is_not_filled_up_with_blanks(knows, capsys):
    assert main(["translate", SOURCES[0], "--show"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert any("(end)" in line for line in lines)
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("end", ["png", "svg", "html"])
def test_a_picture_of_one_sentence(knows, end, tmp_path, capsys):
    path = tmp_path / f"x.{end}"
    assert main(["translate", SOURCES[0], "--picture", str(path)]) == 0
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "html": b"<!doctype html>"}
    assert path.read_bytes().startswith(begins[end])
    out, err = capsys.readouterr()
    assert (out, err) == (f"{TEXTS[0]}\n", f"wrote {path}\n")


@pytest.mark.parametrize("level", ["characters", "bpe", "words"])
def test_hostile_lines_have_a_line_each(knows, stdin, level, capsys):
    knows(untrained(level=level))
    stdin(b"\n".join(HOSTILE) + b"\n")
    assert main(["translate", "--search", "greedy", "--alignments", "--max-length", "9"]) == 0
    out, err = capsys.readouterr()
    rows = lines_of(out)
    assert len(rows) == len(HOSTILE)
    assert all(row.count("\t") == 1 for row in rows)
    assert rows[:3] == ["\t"] * 3
    assert err == ""


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(content=st.binary(max_size=60))
def test_any_bytes_have_as_many_lines_out_as_in(knows, stdin, capsys, content):
    knows(untrained())
    stdin(content)
    capsys.readouterr()
    assert main(["translate", "--search", "greedy", "--max-length", "3"]) == 0
    expected = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
    assert capsys.readouterr().out.count("\n") == expected


def test_halves_of_characters_on_the_command_line_are_read(knows, capsys):
    knows(untrained())
    assert main(["translate", "a\udcff\ud800b", "--json", "--search", "greedy"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] == "a\ufffd\ufffdb"


def test_a_million_characters_take_seconds_and_say_what_was_not_read(knows, stdin, capsys):
    knows(untrained(level="bpe"))
    stdin(b"the black cat " * 71_429 + b"\nred dress\n")
    begin = time.process_time()
    assert main(["translate", "--beam", "2", "--max-length", "20"]) == 0
    assert time.process_time() - begin < 15
    out, err = capsys.readouterr()
    assert out.count("\n") == 2
    assert err.startswith("line 1: too long, its last ")
    assert err.count("\n") == 1


def test_output_is_utf8_whatever_the_locale(knows, monkeypatch):
    knows(untrained())
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert main(["translate", "日本", "--json"]) == 0
    assert json.loads(raw.getvalue().decode("utf-8"))["source"] == "日本"


def test_a_reader_who_leaves_ends_the_command_quietly(knows, monkeypatch, capsys):
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.setattr(sys, "stdout", os.fdopen(writer, "w"))
    assert main(["translate", *SOURCES]) == 141
    sys.stdout.close()
    assert capsys.readouterr().err == ""


def test_lines_that_are_there_are_not_kept_waiting():
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as file:
        groups = arriving(file, 3)
        os.write(writer, b"one\ntwo\nthr")
        assert next(groups) == [b"one", b"two"]
        os.write(writer, b"ee\n4\n5\n6\n")
        assert next(groups) == [b"three", b"4", b"5"]
        assert next(groups) == [b"6"]
        os.write(writer, b"\nlast")
        os.close(writer)
        assert list(groups) == [[b"", b"last"]]


@pytest.mark.parametrize("ahead", [1, 2, 5, 100])
def test_groups_are_no_larger_than_asked_for_and_lose_nothing(ahead):
    content = [b"%d" % number for number in range(12)]
    groups = list(arriving(io.BytesIO(b"\n".join(content)), ahead))
    assert [line for group in groups for line in group] == content
    assert max(map(len, groups)) <= ahead


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["x", "--file", "lines.txt"], "needs text or --file, got both"),
        (["--file", "nowhere.txt"], "nowhere.txt: cannot be read, No such file"),
        (["--file", "."], ".: cannot be read, Is a directory"),
        (["--file", "a\0b"], "cannot be read, embedded null byte"),
        (["x", "--beam", "1001"], "--beam needs at most 1000, got 1001"),
        (["x", "--length-penalty=-1e308"], "--length-penalty needs at least -10"),
        (["x", "--ahead", "9" * 26], "--ahead needs at most 2147483647"),
        (
            ["x", "--search", "sample", "--temperature", "1e-320"],
            "--temperature needs at least 0.001",
        ),
        (["x", "--picture", "x.gif"], "ends in .png, .svg or .html, got 'x.gif'"),
        (["red dress", "", "--picture", "x.png"], "--picture is for one sentence, got 2"),
        ([" ", "--picture", "x.png"], "nothing to draw"),
        (["x", "--beam", "0"], "regard: --beam needs at least 1, got 0"),
        (["x", "--n-best", "9"], "regard: --n-best needs to be at most the size of the beam, 5"),
        (["x", "--groups", "3"], "regard: --groups needs to divide the size of the beam, 5"),
        (
            ["x", "--min-length", "9", "--max-length", "2"],
            "regard: --min-length needs to be at most --max-length, 2, got 9",
        ),
        (["x", "--top-k", "3"], "--top-k belongs to --search sample"),
        (["x", "--search", "sample", "--beam", "3"], "--beam belongs to --search beam"),
        (["x", "--search", "greedy", "--n-best", "2"], "--n-best needs --search beam or sample"),
        (["x", "--ahead", "0"], "--ahead needs at least 1, got 0"),
        (["x", "--threads", "0"], "threads need to be 1 or more, got 0"),
        (["x", "--device", "abacus"], "can compute on, got 'abacus'; it has cpu"),
        (["x", "--device", "meta"], "can compute on, got 'meta'; it has cpu"),
        (["x", "--max-length", "0"], "--max-length needs at least 1, got 0"),
    ],
)
def test_mistakes_are_one_line(knows, words, complaint, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["translate", *words]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert len(err.strip().splitlines()) == 1


def test_the_name_of_a_file_is_not_translated(knows, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text(SOURCES[1])
    (tmp_path / "dress").write_text(SOURCES[1])
    (tmp_path / "folder.d").mkdir()
    assert main(["translate", SOURCES[0], "in.txt"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "regard: in.txt is a file: --file in.txt?\n")
    knows(untrained())
    texts = ["dress", "folder.d", "out.txt", "a\0.b", "x." * 5000]
    assert main(["translate", *texts, "--search", "greedy", "--max-length", "2"]) == 0
    assert len(lines_of(capsys.readouterr().out)) == 5


def test_a_model_is_a_folder_or_a_name(capsys, tmp_path):
    assert main(["translate", "x", "--model", "no-such-model"]) == 2
    assert "--model needs the folder of a run" in capsys.readouterr().err
    assert main(["translate", "x", "--model", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_the_name_of_what_ships_is_no_folder_that_lies_about(tmp_path, monkeypatch):
    name = ZOO.names[0]
    (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    assert models.folder_of(name) == ZOO.folder(name)
    assert models.folder_of(f"./{name}").samefile(tmp_path / name)
