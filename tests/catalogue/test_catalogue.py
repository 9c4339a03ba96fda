"""The catalogue is true: every home exists, and everything public has a row."""

import re
from importlib import import_module
from inspect import isclass
from pathlib import Path

import pytest
from torch import nn

import regard
from regard import normalisers, scores
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


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_pages_claim_as_many_mechanisms_as_there_are(page: str):
    text = (Path(__file__).parents[2] / page).read_text()
    assert re.findall(r"(\d+) attention mechanisms", text) == [str(len(ROWS))]


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


NO_ROW = {
    "Score",
    "Sum",
    "Scaled",
    "Function",
    "ByMask",
    "Normaliser",
    "SoftCapped",
    "SoftmaxWithSink",
}
"""What scores and normalisers are made of, and what has no name but a model's own numbers."""


@pytest.mark.parametrize("package", ["regard.scores", "regard.normalisers"])
def test_every_public_score_and_normaliser_has_a_row(package: str):
    homes = [found(row.target) for row in ROWS]
    family = scores.Score if package == "regard.scores" else normalisers.Normaliser
    public = {
        name: value
        for name, value in vars(found(package)).items()
        if isclass(value) and issubclass(value, family) and name not in NO_ROW
        if not name.startswith("_")
        if not issubclass(value, scores.PositionTerm)  # those are at home in regard.positions
    }
    missing = {
        name
        for name, value in public.items()
        if not any(home is value or type(home) is value for home in homes)
    }
    assert not missing


def test_the_rectified_mean_is_that_of_its_paper():
    """Wortsman et al. divide by the number of keys, Zhang et al. do not."""
    papers = {row.home: row.paper for row in ROWS}
    assert papers["regard.normalisers.mean_relu"] == "Wortsman 2023"
    assert papers["regard.normalisers.relu"] == "Zhang 2021"
