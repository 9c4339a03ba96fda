"""The page of the command line: every command with every option, as the app itself knows them."""

import re

from regard.cli.app import app_for
from regard.cli.commands import COMMANDS
from regard.task_registry import TASKS, USUAL

PAGE = "commands.md"
HEAD = """# Commands

`pip install 'regard[cli]'` brings the command `regard`; `regard COMMAND --help` says what stands
here. Text for people goes to stderr, data to stdout. Exit codes: 0 done; 2 a mistake, told in one
line; 130 Control-C; 141 the reader of the output left.
"""


def commands_page() -> str:
    """All commands."""
    pages = []
    for name in COMMANDS:
        pages.append(_command(name))
        if name == "train":
            pages += [_options_of(task) for task in TASKS if task != USUAL]
    return "\n".join([HEAD, *pages])


def _options_of(task: str) -> str:
    """What ``regard train`` of a task takes beside what it takes of any."""
    usual = _options(_docs("train"))
    own = [option for option in _options(_docs("train", task)) if option not in usual]
    return "\n".join(
        [f"### regard train {task}", "", "Beside the options of any task:", "", *own, ""]
    )


def _options(text: str) -> list[str]:
    return re.findall(r"^\* `--.*?(?=\n\n|\n\* |\n\*\*|\Z)", text, flags=re.DOTALL | re.MULTILINE)


def _docs(name: str, *words: str) -> str:
    app = app_for([name, *words])[name]
    text: str = app.generate_docs(heading_level=2, usage_name=f"regard {name}")
    return re.sub(r" \*\[default: (?:False|\(\))\]\*", "", text)


def _command(name: str) -> str:
    text = _docs(name)
    text = re.sub(r"## Table of Contents\n.*?(?=\*\*)", "", text, flags=re.DOTALL)
    text = re.sub(r"\[(`\S+`)\]\(#\S+\)", r"\1", text)
    text = re.sub(r"^## \S+$", f"## regard {name}", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^### \S+ (\S+)$", rf"### regard {name} \1", text, flags=re.MULTILINE)
    text = re.sub(rf"^regard {name} .*COMMAND$", f"regard {name} COMMAND", text, flags=re.MULTILINE)
    examples = "\n".join(COMMANDS[name].examples)
    return f"{text.rstrip()}\n\n**Examples**:\n\n```console\n{examples}\n```\n"
