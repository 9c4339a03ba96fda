"""What was asked for: mistakes are one sentence, before anything is measured."""

from dataclasses import fields
from pathlib import Path

import pytest

from benchmarks.settings import COMMON, TAKEN, WORDS, Settings
from regard.cli.app import main
from regard.errors import ChoiceError


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["kernels", "--threads", "0"], "bench needs at least 1 thread, got 0"),
        (["decoding", "--repeats", "0"], "bench needs at least 1 repeat, got 0"),
        (["mechanisms", "--minutes", "0"], "bench needs more than 0 minutes, got 0"),
        (["modules", "--data", "x.tsv"], "--data is text to train on, and modules need none"),
        (["decoding", "--minutes", "3"], "--minutes is a time to train, and decoding need none"),
        (["training", "--model", "run"], "--model is a run to translate with, and training need"),
        (["mechanisms", "--repeats", "2"], "--repeats is a number of rounds, and mechanisms need"),
        (["kernels", "--test", "x.tsv"], "--test is text to measure on, and kernels need none"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else None,
)
def test_what_means_nothing_is_refused(tmp_path, capsys, words, message):
    assert main(["bench", *words, "--out", str(tmp_path / "new")]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "new").exists()


def test_every_setting_is_of_all_topics_or_named_with_those_that_take_it():
    names = {field.name for field in fields(Settings)}
    assert {*COMMON, *(name for taken in TAKEN.values() for name in taken)} == names
    assert set(WORDS) < names


def test_the_usual_order_is_kept_and_a_wrong_name_gets_a_suggestion():
    known = {"second": 2, "first": 1, "third": 3}
    assert Settings(only=("third", "second")).choose("number", known) == (2, 3)
    assert Settings().choose("number", known) == (2, 1, 3)
    with pytest.raises(ChoiceError, match=r"unknown number 'frist'\. Did you mean 'first'"):
        Settings(only=("frist",)).choose("number", known)


def test_the_record_has_what_the_topic_takes_and_no_folder():
    settings = Settings("decoding", model=Path("some/run"), data=(Path("some/pairs.tsv"),))
    told = settings.to_json()
    assert set(told) == {*COMMON, *TAKEN["decoding"]}
    assert (told["model"], told["data"]) == ("run", ["pairs.tsv"])


def test_a_model_that_nobody_trained_is_told_where_to_end():
    assert Settings("decoding").forced == 32
    assert Settings("decoding", model=Path("run")).forced is None
    assert Settings("decoding", model=Path("run"), length=7).forced == 7
