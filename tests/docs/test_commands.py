"""The page of the command line has every command and every option."""

import re

import pytest

commands = pytest.importorskip("docs.commands")

from regard.cli.app import app_for  # noqa: E402
from regard.cli.commands import COMMANDS  # noqa: E402


def test_every_command_has_its_section_with_options_and_examples():
    page = commands.commands_page()
    for name in COMMANDS:
        section = page.split(f"\n## regard {name}\n")[1].split("\n## ")[0]
        for example in COMMANDS[name].examples:
            assert example in section
        told = {*re.findall(r"--[a-z][a-z-]*", section)}
        arguments = app_for([name])[name].assemble_argument_collection()
        options = {one for argument in arguments if argument.show for one in argument.names}
        assert {one for one in options if one.startswith("--")} - told == set(), name
