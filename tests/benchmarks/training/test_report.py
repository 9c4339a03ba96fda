"""Numbers made by hand: tables and JSON say what a pencil says."""

import io
import json

import pytest
from rich.console import Console

from benchmarks.race import Duel, RaceResult, Report, Timed, compare
from benchmarks.settings import Settings
from benchmarks.training.contenders import ARCHITECTURES
from benchmarks.training.corpus import Prepared
from benchmarks.training.report import SCHEMA, pages, per_update, to_json


def turn(seconds, tokens, *, idle=0.0, peak=3_000_000):
    return {
        "seconds": seconds,
        "updates": 2,
        "rows": 7,
        "source_tokens": 11,
        "target_tokens": tokens,
        "padded": 5000,
        "idle_cpu": idle,
        "peak_bytes": peak,
    }


def timed(*turns, **about):
    return Timed(turns, "target_tokens", about)


@pytest.fixture
def trained():
    """Ours 2000, 1000 and 1500 tokens/s; JoeyNMT a half, a quarter and a third of it."""
    ours = turn(1.0, 2000), turn(2.0, 2000), turn(2.0, 3000)
    joey = turn(2.0, 2000), turn(8.0, 2000), turn(4.0, 2000, idle=0.5, peak=5_000_000)
    versions = {"torch": "2.13.0"}
    return {
        "regard": timed(*ours, parameters=8_320_577, versions=versions),
        "JoeyNMT": timed(*joey, parameters=8_049_920, versions=versions | {"joeynmt": "2.3.0"}),
    }


@pytest.fixture
def report(machine, trained, tmp_path):
    absent = {"eole": "not installed", "tutorial GRU": "the process ended with 1: oh"}
    race = RaceResult(ARCHITECTURES["gru"].race, trained, absent)
    settings = Settings("training", data=(tmp_path / "pairs.tsv",), only=("gru",))
    corpus = Prepared(tmp_path, "pairs.tsv", 1234, 8000)
    return Report(machine, settings, (race,), corpus, (1.0, 0.5, 0.25))


def shown(report):
    console = Console(width=250, record=True, file=io.StringIO())
    for page in pages(report):
        console.print(page)
    return console.export_text()


def test_rates_are_medians_and_amounts_are_per_update(trained):
    ours, joey = trained.values()
    assert ours.rate == 1500.0
    assert joey.rate == 500.0
    assert per_update(ours) == {
        "target_tokens_per_update": 7000 / 6,
        "padded_tokens_per_update": 2500.0,
        "sentences_per_update": 3.5,
    }
    assert joey.peak_bytes == 5_000_000


def test_the_ratio_is_the_median_of_the_rounds(report):
    first, second = report.parts[0].comparisons
    assert first.value == pytest.approx(3.0)  # of 2, 4 and 3
    assert second.value is None
    assert report.summary == "goals met: 1 of 1 (1 not measured)"


def test_who_uses_the_processor_while_waiting_is_restless():
    calm = timed(*[turn(2.0, 5, idle=0.01), turn(2.0, 5, idle=1.0)] * 2)
    spinning = timed(*[turn(2.0, 5, idle=0.5)] * 3)
    calm_mostly = timed(*[turn(2.0, 5, idle=0.01)] * 3)
    assert spinning.restless
    assert not calm_mostly.restless
    assert calm.restless


def test_the_table_has_a_row_for_everybody_and_says_how_to_install(report):
    text = shown(report)
    assert "1,500 ± 38%" in text  # quartiles at 7/12000 and 10/12000 s per token
    assert "8.3 M" in text and "5.00 MB" in text
    assert "JoeyNMT / regard  ≥ 2.5× ✓ 3.00×" in text
    assert "eole: not installed; make bench-nmt" in text
    assert "the process ended with 1: oh" in text
    assert "1,234 pairs (pairs.tsv), joint BPE of 8,000, batches of 4,096 tokens" in text
    assert text.strip().endswith("goals met: 1 of 1 (1 not measured)")


def test_the_json_has_every_turn_and_no_path_of_this_machine(report, tmp_path):
    data = to_json(report)
    text = json.dumps(data, allow_nan=False)
    assert data["schema"] == SCHEMA == "regard-bench-training/1"
    assert str(tmp_path) not in text
    (race,) = data["races"]
    assert race["systems"]["JoeyNMT"]["turns"][1]["seconds"] == 8.0
    assert race["systems"]["regard"]["tokens_per_second"] == 1500.0
    assert race["comparisons"][0]["peer"] == "JoeyNMT"
    assert race["absent"]["eole"] == "not installed"
    assert data["goals"]["met"] == 1 and data["goals"]["unmeasured"] == 1
    assert data["corpus"] == {"origin": "pairs.tsv", "pairs": 1234, "vocabulary": 8000}


def test_the_best_of_the_others_is_the_one_with_most_tokens_per_second(trained):
    others = {
        "eole": timed(*[turn(1.0, 100)] * 3),
        "HF Marian": timed(*[turn(1.0, 125)] * 3),
        "regard": timed(*[turn(1.0, 250)] * 3),
    }
    samples = {name: system.samples for name, system in others.items()}
    found = compare(Duel("regard", ("eole", "HF Marian")), samples, {})
    assert (found.peer, found.value) == ("HF Marian", pytest.approx(2.0))
