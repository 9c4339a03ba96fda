"""``regard list``: the whole catalogue, or one sentence."""

import json

from rich.cells import cell_len
from rich.console import Console

from regard.catalogue import CATALOGUE
from regard.cli.app import main
from regard.cli.list import listing
from regard.models import build, presets


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
    assert [*rows] == [*presets]
    tiny = rows["transformer-tiny"]
    assert tiny["kind"] == "transformer"
    assert "model_dim" in tiny["fields"]
    assert not {"kind", "source_vocab"} & {*tiny["fields"]}
    built = build("transformer-tiny", source_vocab=8000, target_vocab=8000)
    assert tiny["parameters"] == sum(one.numel() for one in built.parameters())
    ours = [row for row in rows.values() if row["kind"] != "sorter"]  # which other tests add
    assert all("https://" in row["paper"] for row in ours)


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
