"""Names, paths and messages are printed as they are, whatever brackets they have."""

from pathlib import Path

import pytest
from rich.table import Table

import regard.cli
from benchmarks.command import save
from benchmarks.outcome import Outcome
from regard.cli.console import for_tables, plain
from regard.errors import MissingExtraError

ODD = "runs[bold]/x[/] :cat: [plots]"


@pytest.mark.parametrize("make", [plain, for_tables])
def test_brackets_and_colons_are_no_markup(make, capsys):
    table = Table(ODD, title=ODD)
    table.add_row(ODD)
    console = make()
    console.print(ODD)
    console.print(table)
    with console.status("starting"):
        pass
    assert capsys.readouterr().out.count(ODD) == 4


def test_every_console_of_the_commands_is_such_a_one():
    folder = Path(regard.cli.__file__).parent
    made = [path.name for path in folder.rglob("*.py") if "Console(" in path.read_text()]
    assert made == ["console.py"]


def test_a_chart_that_cannot_be_drawn_names_its_extra(tmp_path, capsys):
    def draw():
        raise MissingExtraError("the chart", "plots")

    outcome = Outcome("kernels", {}, pages=(), pictures={"png": draw})
    folder = tmp_path / "odd[name]"
    folder.mkdir()
    save(for_tables(stderr=True), outcome, folder)
    said = capsys.readouterr().err
    assert "pip install 'regard[plots]'" in said
    assert str(folder / "kernels.json") in said
