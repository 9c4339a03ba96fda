"""The legend of the axis letters knows every letter that a signature uses."""

import ast
import functools
import re
from pathlib import Path

import regard
from regard import types

PACKAGE = Path(regard.__path__[0])
LEGEND = dict(re.findall(r"^``([A-Z])``\s+(\S.*)$", types.__doc__, flags=re.MULTILINE))
KINDS = {"Float", "Int", "Bool"}


def shapes(file):
    """The shapes in the annotations of a file, such as ``*B Q Dq``."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", None) in KINDS:
            yield node.slice.elts[1].value


@functools.cache
def used() -> dict[str, tuple[str, str]]:
    """Each letter, with a place where it is used."""
    return {
        letter: (file.relative_to(PACKAGE).as_posix(), shape)
        for file in sorted(PACKAGE.rglob("*.py"))
        for shape in shapes(file)
        for letter in re.findall("[A-Z]", shape)
    }


def test_many_letters_are_used():
    assert {"B", "H", "Q", "K", "D", "E"} <= used().keys()


def test_every_letter_of_a_signature_is_in_the_legend():
    assert {letter: place for letter, place in used().items() if letter not in LEGEND} == {}


def test_the_legend_explains_no_letter_that_nobody_uses():
    assert LEGEND.keys() <= used().keys()


def test_letters_come_in_order():
    assert [*LEGEND] == sorted(LEGEND)
