"""Results made by hand."""

from pathlib import Path

import pytest

from regard.bench.machine import here
from regard.bench.mechanisms.results import Length, MechanismSettings, MechanismsReport, Result


def result(bleu, aer=None, updates=1200):
    return Result(
        parameters=2_010_000,
        updates=updates,
        minutes=3.01,
        tokens_per_second=4321.0,
        peak_bytes=512_000_000,
        bleu=bleu,
        chrf=bleu + 7.25,
        exact=0.125,
        aer=aer,
        signatures=("BLEU nrefs:1|case:mixed", "chrF2 nrefs:1"),
        lengths=(
            Length(label="0–10", sentences=40, bleu=bleu + 5),
            Length(label="11–20", sentences=30, bleu=bleu - 5),
            Length(label="21+", sentences=0, bleu=None),
        ),
    )


@pytest.fixture
def report(tmp_path):
    """Two mechanisms done, one failed."""
    return MechanismsReport(
        machine=here(2, "regard bench mechanisms"),
        settings=MechanismSettings(
            out=tmp_path, data=(Path("some/train.tsv"),), test=(Path("some/test.tsv"),)
        ),
        task="files",
        minutes=20.0,
        sentences=70,
        results={"none": result(20.0), "bahdanau": result(31.5, aer=0.0725)},
        absent={"gnmt-4": "the process ended with 1: it broke"},
        load_at_end=(0.0, 0.0, 0.0),
    )


@pytest.fixture(name="result")
def a_result():
    return result
