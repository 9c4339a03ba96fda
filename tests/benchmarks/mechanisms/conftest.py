"""Results made by hand, and a comparison that takes no time."""

from pathlib import Path

import pytest

from benchmarks.machine import here
from benchmarks.mechanisms.cell import Cell
from benchmarks.mechanisms.contenders import MECHANISMS
from benchmarks.mechanisms.results import Ground, Length, Result
from benchmarks.mechanisms.tasks import GrammarTest
from benchmarks.race import Race, RaceResult, Report
from benchmarks.settings import Settings
from regard.data.batches import BatchConfig
from regard.models import preset_config
from regard.tasks.translation import GrammarData, VocabularyConfig
from regard.training import RunConfig
from regard.training.config import Budget

SMALL = {"hidden_dim": 5, "embedding_dim": 4, "attention_dim": 3, "readout_dim": 4}


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
    ground = Ground("files", minutes=20.0, sentences=70)
    race = RaceResult(
        Race(ground, tuple(MECHANISMS)),
        {"none": result(20.0), "bahdanau": result(31.5, aer=0.0725)},
        {"gnmt-4": "the process ended with 1: it broke"},
    )
    return Report(
        machine=here(2, "regard bench mechanisms"),
        settings=Settings(
            "mechanisms",
            out=tmp_path,
            data=(Path("some/train.tsv"),),
            test=(Path("some/test.tsv"),),
        ),
        parts=(race,),
        ground=ground,
        load_at_end=(0.0, 0.0, 0.0),
    )


@pytest.fixture(name="result")
def a_result():
    return result


@pytest.fixture
def cell(tmp_path):
    """A handful of sentences, a model of a few thousand numbers, two updates."""
    data = GrammarData(max_words=6, vocabulary_pairs=8, valid_size=2)
    vocabulary = VocabularyConfig(level="words", sharing="separate")
    both = vocabulary.learn(data)
    config = preset_config(
        "bahdanau-small", source_vocab=len(both.source), target_vocab=len(both.target)
    )
    run = RunConfig(
        data=data,
        vocabulary=vocabulary,
        batch=BatchConfig(max_tokens=64),
        budget=Budget(steps=2),
        model=config.model_copy(update=SMALL),
        measure="loss",
    )
    test = GrammarTest(each=1)
    cell = Cell(mechanism="bahdanau", preset="bahdanau-small", run=run, test=test, threads=1)
    (tmp_path / "cell.json").write_text(cell.model_dump_json())
    return cell


@pytest.fixture(autouse=True)
def small_pools(monkeypatch, without_shape_checks):
    from regard.tasks.translation import grammar

    monkeypatch.setattr(grammar, "POOL", 16)
