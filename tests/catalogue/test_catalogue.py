"""The catalogue is true: every home exists, and everything public has a row."""

from importlib import import_module
from inspect import isclass

import pytest
from torch import nn

import regard
from regard.catalogue import CATALOGUE, Mechanism

ROWS = [row for rows in CATALOGUE.values() for row in rows]


def found(path: str) -> object:
    """What a dotted path leads to."""
    value: object = regard
    for name in path.split(".")[1:]:
        value = getattr(value, name)
    return value


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.slug)
def test_a_home_exists_and_says_what_it_is(row: Mechanism):
    home = found(row.target)
    assert home is not None
    assert row.equation and row.cost and row.paper
    assert row.link.startswith("https://")


def test_names_are_unique():
    slugs = [row.slug for row in ROWS]
    assert len(slugs) == len(set(slugs))


NO_MECHANISM: dict[str, set[str]] = {
    "regard.nn": {
        *("AttentionModule", "StepAttention", "AttentionalState", "Scorer"),
        *("MovingBaseline", "ReinforceLoss"),
    },
    "regard.nn.vision": set(),
    "regard.positions": {"InputPosition"},
    "regard.cells": {"Bidirectional", "Cell", "Output", "Recurrent", "Stack"},
}
"""Public modules that are parts of a mechanism rather than one."""


@pytest.mark.parametrize("package", NO_MECHANISM)
def test_every_public_module_has_a_row(package: str):
    homes = {row.target for row in ROWS}
    public = {
        name
        for name, value in vars(import_module(package)).items()
        if isclass(value) and issubclass(value, nn.Module) and not name.startswith("_")
    }
    missing = {n for n in public - NO_MECHANISM[package] if f"{package}.{n}" not in homes}
    assert not missing
