"""What CONTRIBUTING says of the tree is true, and its worked task is the one that is trained."""

import re
from pathlib import Path

import pytest

from import_arrows import HEIGHT

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
TREE = PAGE.split("```\nsrc/regard/")[1].split("```")[0]
PARTS = re.findall(r"^  (\w+)(?:/|\.py) ", TREE, flags=re.MULTILINE)


def test_every_path_in_the_map_of_the_tree_exists():
    names = re.findall(r"^(  )?(\S+(?:/|\.py)) ", TREE, flags=re.MULTILINE)
    paths = [f"src/regard/{name}" if inside else name for inside, name in names]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_package_is_in_the_map_of_the_tree():
    packages = {path.parent.name for path in (ROOT / "src" / "regard").glob("*/__init__.py")}
    assert len(packages) > 10
    assert packages <= {*PARTS}


def test_the_map_goes_up_as_imports_do():
    heights = [HEIGHT[part] for part in PARTS]
    assert heights == sorted(heights)


@pytest.mark.parametrize("name", ["predictor.py", "task.py"])
def test_the_worked_task_is_the_one_that_is_trained(name):
    path = f"tests/tasks/toy/{name}"
    blocks = re.findall(rf"```python\n# {re.escape(path)}\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(blocks) > 1
    assert _lines("".join(blocks)) == _lines((ROOT / path).read_text("utf-8"))


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
