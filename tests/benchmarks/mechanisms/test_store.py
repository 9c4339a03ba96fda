"""The folder of a comparison."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.mechanisms.store import kept_plan, result_in
from benchmarks.settings import Settings
from regard.errors import ChoiceError, DamagedError


@pytest.fixture
def settings(tmp_path):
    return Settings("mechanisms", out=tmp_path, quick=True, minutes=0.5)


def test_a_plan_is_made_once(settings):
    made = []

    def make():
        made.append(1)
        return []

    assert kept_plan(settings, make) == kept_plan(settings, make) == []
    assert kept_plan(replace(settings, only=("none",)), make) == []
    assert made == [1]


def test_a_folder_of_another_comparison_is_refused(settings):
    kept_plan(settings, list)
    other = replace(settings, minutes=3.0, data=(Path("x.tsv"),))
    with pytest.raises(ChoiceError, match=r"holds a comparison with minutes=0\.5, data=\[\]"):
        kept_plan(other, list)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"asked": {}, "cells": [{}]}'])
def test_a_plan_that_is_none_is_said(settings, text):
    (settings.out / "plan.json").write_text(text)
    with pytest.raises(DamagedError, match=r"plan\.json needs to be the plan of a comparison"):
        kept_plan(settings, list)


def test_a_result_is_read_as_it_was_written(tmp_path, result):
    assert result_in(tmp_path) is None
    written = result(17.5, aer=0.25)
    (tmp_path / "result.json").write_text(written.model_dump_json())
    assert result_in(tmp_path) == written
    half = json.dumps({"bleu": 3})
    (tmp_path / "result.json").write_text(half)
    with pytest.raises(DamagedError, match=r"result\.json is not a result"):
        result_in(tmp_path)
