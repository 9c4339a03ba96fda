"""The zoo: names of what is there, and the promises for all that ships."""

import shutil
import subprocess
import sys

import pytest

from regard.errors import ChoiceError, InputError
from regard.storage import manifest
from regard.zoo import ZOO, Zoo

LARGEST = 12_000_000
"""Bytes of a translator that ships."""


@pytest.fixture
def zoo(packed, tmp_path):
    for name in ("en-fr-transformer", "en-fr-bahdanau"):
        shutil.copytree(packed.folder, tmp_path / name)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "shelf.py").touch()
    return Zoo(tmp_path)


def test_names_are_those_of_folders_with_a_translator(zoo):
    assert zoo.names == ("en-fr-bahdanau", "en-fr-transformer")
    assert zoo.default == "en-fr-transformer"


def test_a_translator_is_found_by_name_and_translates(zoo):
    [found] = zoo.translator("en-fr-bahdanau").translate(["bo da ku"])
    assert found.source == "bo da ku"


def test_the_card_is_found_by_name(zoo, packed):
    assert zoo.card("en-fr-bahdanau") == (packed.folder / "CARD.md").read_text()


def test_the_size_is_that_of_all_files(zoo, packed):
    assert zoo.size("en-fr-transformer") == packed.size


@pytest.mark.parametrize("ask", [Zoo.translator, Zoo.card, Zoo.size])
def test_an_unknown_name_gets_a_suggestion_and_the_list(zoo, ask):
    with pytest.raises(
        ChoiceError,
        match=r"unknown translator 'en-fr-bahdanow'\. Did you mean 'en-fr-bahdanau'\? "
        r"Known: en-fr-bahdanau, en-fr-transformer\.",
    ):
        ask(zoo, "en-fr-bahdanow")


@pytest.mark.parametrize("name", ["", ".", "..", "../zoo", "en-fr-bahdanau/vocabulary"])
def test_a_name_is_no_path(zoo, name):
    with pytest.raises(ChoiceError, match="unknown translator"):
        zoo.folder(name)


def test_without_the_default_the_first_is_taken(zoo):
    shutil.rmtree(zoo.path / "en-fr-transformer")
    assert zoo.default == "en-fr-bahdanau"


def test_an_empty_zoo_says_what_to_do(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        zoo = Zoo(path)
        assert zoo.names == ()
        assert zoo.default == "en-fr-transformer"
        with pytest.raises(ChoiceError, match="none comes with this regard; train one"):
            zoo.translator(zoo.default)


def test_a_missing_card_is_one_sentence(zoo):
    (zoo.path / "en-fr-bahdanau" / "CARD.md").unlink()
    with pytest.raises(InputError, match=r"CARD\.md: cannot be read, No such file"):
        zoo.card("en-fr-bahdanau")


def test_all_that_ships_is_whole_small_and_has_a_card():
    for name in ZOO.names:
        manifest.verify(ZOO.folder(name))
        assert ZOO.size(name) < LARGEST, name
        card = ZOO.card(name)
        assert card.startswith(f"# {name}\n"), name
        assert "not stated" not in card, f"{name}: whose data is it, and what is the licence?"


def test_the_card_of_the_transformer_names_the_layer_and_the_head_that_were_guided():
    config = ZOO.translator("en-fr-transformer").model.config
    layer, last = config.chosen_alignment_layer, config.decoder_layers - 1
    said = " ".join(ZOO.card("en-fr-transformer").split())
    assert f"head {config.alignment_head} of its last layer but one" in said
    assert f"(layer {layer} of 0 to {last})" in said and layer == last - 1


def test_names_come_without_torch():
    code = "import sys; from regard.zoo import ZOO; ZOO.names; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
