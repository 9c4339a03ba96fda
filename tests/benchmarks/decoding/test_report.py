"""The report for people and for programs, on numbers made by hand."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.decoding.contenders import WAYS
from benchmarks.decoding.prepare import Prepared
from benchmarks.decoding.report import pages, to_json
from benchmarks.decoding.run import Ground
from benchmarks.machine import here
from benchmarks.race import RaceResult, Report, Timed
from benchmarks.settings import Settings
from regard.models import preset_config


def system(rate, agreement=1.0, idle=0.0):
    turn = {
        "seconds": 2.0,
        "sentences": 4,
        "tokens": int(2 * rate),
        "idle_cpu": idle,
        "peak_bytes": 250_000_000,
    }
    return Timed((turn,) * 3, "tokens", {"agreement": agreement})


def report(systems, absent):
    race = RaceResult(WAYS["64-beam"].race, systems, absent)
    config = preset_config("transformer-small", source_vocab=8000, target_vocab=7000)
    prepared = Prepared(Path("gone"), "grammar", 10, 123, "random weights", config, 6_500_000)
    return Report(
        machine=here(2, "regard bench decoding"),
        settings=Settings("decoding", model=Path("some/where/run"), data=(Path("some/pairs.tsv"),)),
        parts=(race,),
        ground=Ground(prepared, {"regard": {"regard": "0.1"}}),
        load_at_end=(0.0, 0.0, 0.0),
    )


@pytest.fixture
def full():
    systems = {"regard": system(900), "HF generate": system(300, 0.5, idle=1.0)}
    return report(systems, {"CTranslate2": "not installed"})


def printed(one):
    text = io.StringIO()
    console = Console(file=text, width=200)
    for page in pages(one):
        console.print(page)
    return text.getvalue()


def test_the_table_has_rates_ratios_and_the_verdict(full):
    text = printed(full)
    assert "batch 64, beam 5" in text
    assert "900 ± 0%" in text and "300 ± 0%" in text
    assert "≥ 2× ✓ 3.00×" in text
    assert "goals met: 1 of 1" in text
    assert "12.3 tokens" in text and "norms pre" in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": Path("run")}, "end where the model ends them"),
        ({"model": Path("run"), "length": 7}, "forced to 7 tokens"),
        ({}, "forced to 32 tokens"),
    ],
)
def test_where_answers_end_is_said(full, given, said):
    assert said in printed(replace(full, settings=Settings("decoding", **given)))


def test_who_is_absent_who_differs_and_who_did_not_sleep_is_said(full):
    text = printed(full)
    assert "CTranslate2: not installed; make bench-nmt" in text
    assert "50% of the answers of HF generate equal ours" in text
    assert "HF generate used the processor while it waited" in text
    assert "regard used the processor" not in text


def test_json_has_every_turn_and_no_folder(full):
    data = json.loads(json.dumps(to_json(full), allow_nan=False))
    assert data["schema"] == "regard-bench-decoding/1"
    (race,) = data["races"]
    assert race["title"] == "batch 64, beam 5"
    assert race["times"]["regard"]["tokens_per_second"] == pytest.approx(900)
    assert len(race["times"]["HF generate"]["turns"]) == 3
    assert race["comparisons"][0]["value"] == pytest.approx(3.0)
    assert data["settings"]["data"] == ["pairs.tsv"] and data["settings"]["model"] == "run"
    assert "some" not in json.dumps(data["settings"])
    assert data["goals"]["met"] == 1


def test_a_goal_without_the_peer_is_not_measured():
    one = report({"regard": system(900)}, {"HF generate": "not installed"})
    assert one.summary == "goals met: 0 of 0 (1 not measured)"
