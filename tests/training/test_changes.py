"""Settings changed by the names of flags and by paths."""

import re

import pytest

from regard.errors import ChoiceError
from regard.tasks.translation import FileData, GrammarData, TranslationTask, recipe
from regard.training.changes import Names, assignments, deep, flat, nested, over
from regard.training.flags import FLAGS, places
from regard.training.settings import Settings
from regard.training.task import Task

KINDS = {Task: TranslationTask}


@pytest.fixture
def usual():
    return recipe("bahdanau-small", GrammarData())


@pytest.mark.parametrize("flag", [*FLAGS, *TranslationTask.own_flags], ids=lambda flag: flag.name)
def test_every_flag_sets_fields_that_there_are_and_that_explain_themselves(flag):
    for path in flag.paths:
        assert places(Settings, path, KINDS), path
    assert flag.help or places(Settings, flag.paths[0], KINDS)[0].field.description


def test_flags_and_paths_reach_the_fields_behind_them(usual):
    changed = usual.settings.changed(
        {"optimisation.betas": (0.8, 0.9)}, rate=0.25, embedding_rate_factor=2.0, seed=7
    )
    assert changed.optimisation.rate == 0.25
    assert changed.optimisation.rate_factors == {"embeddings": 2.0}
    assert changed.optimisation.betas == (0.8, 0.9)
    assert (changed.seed, changed.batch.seed) == (7, 7)
    assert usual.settings.optimisation.rate != 0.25
    assert changed.changed(rate=usual.settings.optimisation.rate, seed=0).task == changed.task


def test_a_schedule_ends_with_the_steps(usual):
    schedule = usual.settings.changed(steps=50).optimisation.schedule
    assert (schedule.steps, schedule.warmup) == (50, 25)
    other = usual.settings.changed(schedule="cosine", warmup=3).optimisation.schedule
    assert (other.kind, other.steps, other.warmup) == ("cosine", 3600, 3)


def test_other_data_takes_the_place_of_all_that_was_said_of_it(usual):
    changed = usual.settings.changed(data="x.tsv", max_words=9)
    assert changed.task.data == FileData(train="x.tsv", filters={"max_length": 9})
    assert usual.settings.changed(max_words=9).task.data.max_words == 9


def test_fields_of_the_model_are_changed_beside_the_settings(usual):
    settings, changes = usual.changed({"model.hidden_dim": 5}, clip=3.0)
    assert changes["hidden_dim"] == 5
    assert settings.optimisation.clip == 3.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"rat": 1, "optimisation.clp": 2},
            "unknown setting 'rat', did you mean 'rate'?; unknown setting 'optimisation.clp', "
            "did you mean 'optimisation.clip'?",
        ),
        ({"rate": -1, "clip": 0}, "rate needs more than 0, got -1; clip needs more than 0, got 0"),
        ({"valid": "x"}, "valid needs data, which was not given"),
        ({"optimisation.epsilon": 0}, "optimisation.epsilon needs more than 0, got 0"),
        ({"measure": "ter"}, "measure needs to be one of bleu, chrf"),
        ({"steps": 5, "warmup": 9}, "optimisation.schedule: a schedule needs to be warm"),
    ],
)
def test_all_mistakes_are_told_in_our_own_words(usual, changes, said):
    with pytest.raises(ChoiceError, match=re.escape(said)):
        usual.settings.changed(changes)


def test_flags_are_called_as_they_are_typed():
    names = Names(TranslationTask, typed=True)
    assert names.where(("task", "data", "files", "filters", "max_ratio")) == "--max-ratio"
    assert names.where(("optimisation", "schedule", "linear")) == "optimisation.schedule"
    assert names.where(("optimisation", "rate_factors", "embeddings")) == "--embedding-rate-factor"


def test_settings_inside_settings_are_paths_and_back():
    settings = {"a": {"b": 1, "c": {"d": (2, 3)}}, "e": None}
    assert flat(settings) == {"a.b": 1, "a.c.d": (2, 3), "e": None}
    assert nested(flat(settings)) == settings


def test_what_comes_later_wins_and_another_kind_leaves_nothing():
    below = {"data.kind": "grammar", "data.seed": 3, "rate": 1}
    assert over(below, {"data.kind": "files", "data.train": "x"}) == {
        "rate": 1,
        "data.kind": "files",
        "data.train": "x",
    }
    assert deep({"a": {"kind": "x", "b": 1}}, {"a": {"kind": "y"}}) == {"a": {"kind": "y"}}
    same = deep({"a": {"kind": "x", "b": 1}}, {"a": {"c": 2}})
    assert same == {"a": {"kind": "x", "b": 1, "c": 2}}


def test_values_are_json_or_else_text():
    words = ("a.b=1e-3", "c=true", "d=words", "e=[1, 2]", "f=x=y")
    assert dict(assignments(words, "--set")) == {
        "a.b": 1e-3,
        "c": True,
        "d": "words",
        "e": [1, 2],
        "f": "x=y",
    }
