"""The page of the command line has every command and every option."""

import re

import pytest

commands = pytest.importorskip("docs.commands")

from regard.cli.app import app_for  # noqa: E402
from regard.cli.commands import COMMANDS  # noqa: E402


def options(app) -> set[str]:
    """Of a command and of its own commands."""
    below = [app[name] for name in app if not name.startswith("-") and name != app.name[0]]
    shown = (one for one in app.assemble_argument_collection() if one.show)
    found = {name for argument in shown for name in argument.names if name.startswith("--")}
    return found.union(*map(options, below))


def test_every_command_has_its_section_with_options_and_examples():
    page = commands.commands_page()
    for name in COMMANDS:
        section = page.split(f"\n## regard {name}\n")[1].split("\n## ")[0]
        for example in COMMANDS[name].examples:
            assert example in section
        told = {*re.findall(r"--[a-z][a-z-]*", section)}
        assert options(app_for([name])[name]) - told == set(), name


def test_commands_of_a_command_have_sections_of_their_own():
    page = commands.commands_page()
    assert re.findall(r"^### (regard data \w+)$", page, flags=re.MULTILINE) == [
        "regard data list",
        "regard data get",
        "regard data words",
        "regard data grammar",
    ]
    assert "\nregard data COMMAND\n" in page
    assert "](#" not in page and "[default: False]" not in page
