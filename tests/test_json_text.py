"""JSON of strangers is read in one place, where whatever is wrong with it is one kind of error."""

import ast
import json
from pathlib import Path

import pytest

import regard
from regard.json_text import parsed

SOURCES = Path(regard.__file__).parent
OWN = {
    Path("json_text.py"): "this is the place",
    Path("data/pairs/json_lines.py"): "reads an array element by element, and guards that itself",
    Path("data/vocabulary/tokenizer_json.py"): "reads again what its library has read",
    Path("cli/list.py"): "a table that comes with the package",
    Path("training/distributed/several.py"): "written by another process of the same run",
    Path("testing/checks/task_data.py"): "written in the line before",
}
"""Files that may ask the standard library, and why."""


def asks_the_library(source):
    """Whether code calls ``json.load``, ``json.loads``, or makes a decoder."""
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "json"
        and node.attr in ("load", "loads", "JSONDecoder")
        for node in ast.walk(ast.parse(source))
    )


def test_json_is_read_in_one_place():
    found = {
        path.relative_to(SOURCES)
        for path in SOURCES.rglob("*.py")
        if asks_the_library(path.read_text(encoding="utf-8"))
    }
    assert found == OWN.keys()


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, b"[" * 100_000])
def test_what_is_nested_too_deeply_is_no_json(text):
    with pytest.raises(ValueError, match="nested too deeply"):
        parsed(text)


@pytest.mark.parametrize("text", ["", "[1,", b"\xff\xfe\xfd", "[" + "1" * 5000 + "]"])
def test_all_else_is_an_error_of_the_text_too(text):
    with pytest.raises(ValueError):
        parsed(text)


def test_what_is_json_comes_back():
    value = {"a": [1, 2.5, None, True, "é"]}
    assert parsed(json.dumps(value)) == parsed(json.dumps(value).encode()) == value
