"""``regard list``: the whole catalogue, or one sentence."""

import json
import subprocess
import sys

from rich.cells import cell_len
from rich.console import Console

import model_table
from regard.catalogue import CATALOGUE
from regard.cli.app import main
from regard.cli.list import TABLE, listing
from regard.mechanism_source import read_catalogue
from regard.models import build


def test_every_mechanism_is_printed_with_its_home(capsys):
    assert main(["list", "mechanisms"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    words = "".join(out.split())
    for rows in CATALOGUE.values():
        for row in rows:
            assert "".join(row.name.split()).split("(")[0] in words


def test_one_family_is_found_by_the_beginning_of_its_name(capsys):
    assert main(["list", "mechanisms", "--family", "ways", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [*listed] == ["ways of attending"]
    assert {"name", "equation", "cost", "paper", "link", "home"} == {
        *listed["ways of attending"][0]
    }


def test_an_unknown_family_is_one_sentence(capsys):
    assert main(["list", "mechanisms", "--family", "scored"]) == 2
    assert "unknown family 'scored'" in capsys.readouterr().err


def test_alone_it_lists_what_can_be_listed(capsys):
    assert main(["list", "--json"]) == 0
    known = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert known == ["mechanisms", "models", "tasks", "zoo"]
    for name in known:
        assert main(["list", name, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) or name == "zoo"


def test_models_have_parameters_a_paper_and_fields_that_can_be_set(capsys):
    assert main(["list", "models", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    tiny = rows["transformer-tiny"]
    assert tiny["kind"] == "transformer"
    assert "model_dim" in tiny["fields"]
    assert not {"kind", "source_vocab"} & {*tiny["fields"]}
    built = build("transformer-tiny", source_vocab=8000, target_vocab=8000)
    assert tiny["parameters"] == sum(one.numel() for one in built.parameters())
    assert all("https://" in row["paper"] for row in rows.values())


def test_the_table_of_models_is_that_of_the_presets():
    told = "presets have changed: run python tools/model_table.py"
    assert TABLE.read_text() == model_table.text(model_table.rows()), told


def test_what_is_read_of_the_source_is_what_the_classes_say():
    found, said = read_catalogue(), CATALOGUE
    assert [*found] == [*said]
    for family, rows in said.items():
        ours = [row for row in rows if row.home.startswith("regard.")]  # others register some too
        assert list(found[family]) == ours


WITHOUT_TORCH = """
import io, sys, time
from contextlib import redirect_stdout
sys.modules["torch"] = None
from regard.cli.app import main
commands = [["--version"], ["--help"], ["list"], ["zoo", "list"]]
commands += [["list", what, *form] for what in ("mechanisms", "models", "tasks", "zoo")
             for form in ([], ["--json"])]
for words in commands:
    out = io.StringIO()
    start = time.process_time()
    with redirect_stdout(out):
        code = main(words)
    print(code, len(out.getvalue()), time.process_time() - start, *words)
"""


def test_what_is_listed_is_told_without_torch():
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=True
    ).stdout
    for line in told.splitlines():
        code, length, seconds, *_ = line.split()
        assert (code, float(seconds) < 1.5) == ("0", True), line
        assert int(length) > 10, line
    assert len(told.splitlines()) == 12


def test_a_family_is_one_of_mechanisms(capsys):
    assert main(["list", "models", "--family", "scores"]) == 2
    assert "regard list mechanisms" in capsys.readouterr().err


def test_no_name_is_broken_on_a_narrow_terminal():
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        for family, rows in CATALOGUE.items():
            console.print(listing(family, rows))
    printed = capture.get()
    for rows in CATALOGUE.values():
        for row in rows:
            assert row.name in printed
            assert row.home.split("(")[0] in printed
    assert max(map(cell_len, printed.splitlines())) <= 80
