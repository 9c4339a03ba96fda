"""The tool that runs README with few extras or none can say no."""

from pathlib import Path

import pytest

import bare
from regard.extras import EXTRAS

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize(
    ("command", "code", "says", "complaint"),
    [
        ("--version", bare.DONE, "regard", None),
        ("--version", bare.DONE, "matplotlib", "never said 'matplotlib'"),
        ("--version", bare.MISTAKE, "regard", "ended with 0 instead of 2"),
        ("list nothing", bare.MISTAKE, "mechanisms", None),
        ("list nothing", bare.DONE, "mechanisms", "ended with 2 instead of 0"),
    ],
)
def test_a_command_must_end_as_it_should_and_say_what_it_should(command, code, says, complaint):
    found = bare.failed(command, code, says)
    assert found is None if complaint is None else found.startswith(complaint)


def test_every_python_block_of_the_readme_is_run():
    assert len(list(bare.blocks(README))) == README.read_text().count("```python")


@pytest.mark.parametrize(
    ("stage", "extras"), [("core", ("cli",)), ("commands", ("plots", "tensorboard"))]
)
def test_every_extra_that_a_command_may_lack_is_asked_for(stage, extras):
    named = {says for _, code, says in bare.TYPED[stage] if code == bare.MISTAKE}
    assert all(any(f"regard[{extra}]" in says for says in named) for extra in extras)


def test_every_package_that_an_extra_brings_is_to_be_absent():
    assert {*EXTRAS} <= {*bare.ABSENT["core"]}
    assert {*bare.ABSENT["core"]} - {*bare.ABSENT["commands"]} == {
        package for package, extra in EXTRAS.items() if extra in ("cli", "tasks", "zoo")
    }


def test_a_model_that_loads_where_it_should_not_is_told():
    assert bare.loaded() == "it was loaded"
