"""``tools/bench_nmt.py``, with a pip that only writes down what it was asked."""

import re
import tokenize
from pathlib import Path

import pytest

import bench_nmt


@pytest.fixture
def set_up(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(bench_nmt.venv, "create", lambda home, **_: home.mkdir(exist_ok=True))
    requirements = tmp_path / "peer.txt"
    requirements.write_text("peer==1.0\n")

    def run(fail=False):
        calls.clear()

        def pip(command):
            calls.append(command)
            if fail:
                raise RuntimeError

        return bench_nmt.set_up(requirements, tmp_path / "home", ["--quiet"], pip)

    run.calls, run.requirements = calls, requirements
    return run


def test_torch_comes_first_and_the_rest_without_what_it_asks_for(set_up, tmp_path):
    assert set_up() is True
    torch, rest = set_up.calls
    assert torch[-1] == "torch==2.13.0" and "--no-deps" not in torch
    assert rest[-3:] == ["--no-deps", "-r", str(set_up.requirements)]
    assert torch[0] == str(tmp_path / "home" / "bin" / "python") and "--quiet" in torch


def test_a_second_call_does_nothing_until_a_pin_changes(set_up):
    assert [set_up(), set_up()] == [True, False]
    set_up.requirements.write_text("peer==1.1\n")
    assert set_up() is True


def test_what_failed_is_done_again(set_up):
    with pytest.raises(RuntimeError):
        set_up(fail=True)
    assert set_up() is True


def test_every_peer_is_pinned_and_torch_is_left_out():
    files = sorted((Path(bench_nmt.ROOT) / "benchmarks" / "nmt").glob("*.txt"))
    assert [file.stem for file in files] == ["eole", "joeynmt", "marian"]
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        pins = [line for line in lines if not line.startswith("#")]
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins), file.name
        assert not any(pin.startswith("torch==") for pin in pins)


def test_the_peers_have_the_torch_that_we_have():
    pins = (Path(bench_nmt.ROOT) / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert bench_nmt.TORCH in pins


def test_no_comment_reads_as_the_name_of_an_encoding():
    """pip looks for ``coding: name`` in the first two lines, even inside other words."""
    for file in (Path(bench_nmt.ROOT) / "benchmarks" / "nmt").glob("*.txt"):
        with file.open("rb") as lines:
            encoding, _ = tokenize.detect_encoding(lines.readline)
        assert encoding == "utf-8", file.name
