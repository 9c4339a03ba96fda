"""Settings to start from, for every model and every kind of data."""

import pytest

from regard.errors import ChoiceError
from regard.models import build, config_from, preset_config, presets
from regard.tasks.translation import FileData, GrammarData
from regard.training import recipe
from regard.training.config import RunConfig

DATA = [GrammarData(), FileData(train=("pairs.tsv",))]


@pytest.mark.parametrize("data", DATA, ids=lambda data: data.kind)
@pytest.mark.parametrize("name", [name for name in presets if "small" in name])
def test_what_a_recipe_changes_is_a_field_of_its_model(name, data):
    settings, changes = recipe(name, data)
    chosen = {"rarest_of"} if data.kind == "grammar" else set()
    assert settings.data.model_dump(exclude=chosen) == data.model_dump(exclude=chosen)
    preset = preset_config(name, source_vocab=11, target_vocab=13)
    config = RunConfig(model=config_from(preset.model_dump() | dict(changes)), **dict(settings))
    assert RunConfig.model_validate_json(config.model_dump_json()) == config
    assert build(config.model).config.target_vocab == 13


def test_sentences_that_never_come_twice_are_learned_without_dropout():
    assert recipe("bahdanau-small", DATA[0]).changes["dropout"] == 0
    assert "dropout" not in recipe("bahdanau-small", DATA[1]).changes


def test_how_often_rare_words_come_is_the_recipes_choice_unless_it_was_made_before():
    assert recipe("bahdanau-small", GrammarData(max_words=7)).settings.data == GrammarData(
        max_words=7, rarest_of=3
    )
    assert recipe("bahdanau-small", GrammarData(rarest_of=1)).settings.data.rarest_of == 1
    assert recipe("luong-general-small", GrammarData()).settings.data.rarest_of == 1


def test_gold_alignments_guide_where_there_are_some():
    assert recipe("bahdanau-small", DATA[0]).settings.objective.guided > 0
    assert recipe("bahdanau-small", DATA[1]).settings.objective.guided == 0


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ChoiceError, match="bahdanau-small"):
        recipe("bahdanau-smal", DATA[0])
