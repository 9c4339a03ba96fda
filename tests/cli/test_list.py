"""``regard list``: the whole catalogue, or one sentence."""

import json

from rich.cells import cell_len
from rich.console import Console

from regard.catalogue import CATALOGUE
from regard.cli.app import main
from regard.cli.list import listing


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


def test_what_to_list_need_not_be_said(capsys):
    assert main(["list", "mechanisms"]) == 0
    said = capsys.readouterr().out
    assert main(["list"]) == 0
    assert capsys.readouterr().out == said


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
