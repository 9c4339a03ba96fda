"""The page of the command line: every command with every option, as the app itself knows them."""

import re

from regard.cli.app import app_for
from regard.cli.commands import COMMANDS

PAGE = "commands.md"
HEAD = """# Commands

`pip install 'regard[cli]'` brings the command `regard`; `regard COMMAND --help` says what stands
here. Text for people goes to stderr, data to stdout. Exit codes: 0 done; 2 a mistake, told in one
line; 130 Control-C; 141 the reader of the output left.
"""


def commands_page() -> str:
    """All commands."""
    return "\n".join([HEAD, *(_command(name) for name in COMMANDS)])


def _command(name: str) -> str:
    text: str = app_for([name])[name].generate_docs(heading_level=2, usage_name=f"regard {name}")
    text = re.sub(r"## Table of Contents\n.*?(?=\*\*)", "", text, flags=re.DOTALL)
    text = re.sub(r"\[(`\S+`)\]\(#\S+\)", r"\1", text)
    text = re.sub(r"^## \S+$", f"## regard {name}", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^### \S+ (\S+)$", rf"### regard {name} \1", text, flags=re.MULTILINE)
    text = re.sub(rf"^regard {name} .*COMMAND$", f"regard {name} COMMAND", text, flags=re.MULTILINE)
    text = re.sub(r" \*\[default: (?:False|\(\))\]\*", "", text)
    examples = "\n".join(COMMANDS[name].examples)
    return f"{text.rstrip()}\n\n**Examples**:\n\n```console\n{examples}\n```\n"
