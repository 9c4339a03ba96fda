"""Settings to start from, for every model and every kind of data."""

import pytest

from regard.errors import ChoiceError
from regard.models import build, config_from, preset_config, presets
from regard.models.build import preset_sizes
from regard.tasks.translation import FileData, GrammarData
from regard.tasks.translation.recipe import recipe
from regard.training.config import Budget, RunConfig

DATA = [GrammarData(), FileData(train=("pairs.tsv",))]


@pytest.mark.parametrize("data", DATA, ids=lambda data: data.kind)
@pytest.mark.parametrize(
    "name", [name for name in presets if "small" in name and "source_vocab" in preset_sizes(name)]
)
def test_what_a_recipe_changes_is_a_field_of_its_model(name, data):
    settings, changes = recipe(name, data)
    chosen = {"rarest_of"} if data.kind == "grammar" else set()
    assert settings.task.data.model_dump(exclude=chosen) == data.model_dump(exclude=chosen)
    preset = preset_config(name, source_vocab=11, target_vocab=13)
    config = RunConfig(model=config_from(preset.model_dump() | dict(changes)), **dict(settings))
    assert RunConfig.model_validate_json(config.model_dump_json()) == config
    assert build(config.model).config.target_vocab == 13


def test_sentences_that_never_come_twice_are_learned_without_dropout():
    assert recipe("bahdanau-small", DATA[0]).changes["dropout"] == 0
    assert "dropout" not in recipe("bahdanau-small", DATA[1]).changes


def test_how_often_rare_words_come_is_the_recipes_choice_unless_it_was_made_before():
    assert recipe("bahdanau-small", GrammarData(max_words=7)).settings.task.data == GrammarData(
        max_words=7, rarest_of=3
    )
    assert recipe("bahdanau-small", GrammarData(rarest_of=1)).settings.task.data.rarest_of == 1
    assert recipe("luong-general-small", GrammarData()).settings.task.data.rarest_of == 1


def test_gold_alignments_guide_where_there_are_some():
    assert recipe("bahdanau-small", DATA[0]).settings.task.loss.guided > 0
    assert recipe("bahdanau-small", DATA[1]).settings.task.loss.guided == 0


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ChoiceError, match="bahdanau-small"):
        recipe("bahdanau-smal", DATA[0])


@pytest.mark.parametrize(
    ("budget", "warmup", "every"),
    [
        (None, 1000, 1000),
        (Budget(patience=3), 1000, 1000),
        (Budget(steps=20), 2, 50),
        (Budget(steps=5), 1, 50),
        (Budget(steps=1000), 100, 100),
        (Budget(steps=50_000), 1000, 1000),
        (Budget(minutes=60), 600, 600),
        (Budget(minutes=0.5), 5, 50),
        (Budget(minutes=60, steps=500), 50, 50),
    ],
)
def test_warm_up_and_validations_follow_from_the_budget(budget, warmup, every):
    settings, _ = recipe("bahdanau-small", DATA[1], budget)
    assert settings.optimisation.schedule.warmup == warmup
    assert settings.validate_every == every
    assert settings.budget == Budget(patience=10).changed(budget)
    trained = preset_config("bahdanau-small", source_vocab=11, target_vocab=13)
    again = recipe(trained, DATA[1], budget).settings
    assert again.optimisation.schedule.warmup == min(warmup, 100)


@pytest.mark.parametrize("steps", [1, 7, 20, 3600, 7200])
def test_the_schedule_of_the_grammar_ends_with_the_budget(steps):
    settings, _ = recipe("bahdanau-small", DATA[0], Budget(steps=steps))
    schedule = settings.optimisation.schedule
    assert (schedule(steps), settings.budget.steps) == (0, steps)
    assert schedule.warmup == min(100, steps // 10)
    assert settings.validate_every == max(1, steps // 4)
    assert settings == settings.model_validate(settings.model_dump())
