"""The zoo: names of what is there, and the promises for all of regard-zoo."""

import shutil
import subprocess
import sys

import pytest

from regard.errors import ChoiceError, InputError, MissingExtraError
from regard.storage import manifest
from regard.zoo import ZOO, Zoo
from regard.zoo.shelf import installed

LARGEST = 12_000_000
"""Bytes of a model of regard-zoo."""


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
    [found] = zoo.load("en-fr-bahdanau").translate(["bo da ku"])
    assert found.source == "bo da ku"


def test_the_card_is_found_by_name(zoo, packed):
    assert zoo.card("en-fr-bahdanau") == (packed.folder / "CARD.md").read_text()


def test_the_size_is_that_of_all_files(zoo, packed):
    assert zoo.size("en-fr-transformer") == packed.size


@pytest.mark.parametrize("ask", [Zoo.load, Zoo.card, Zoo.size])
def test_an_unknown_name_gets_a_suggestion_and_the_list(zoo, ask):
    with pytest.raises(
        ChoiceError,
        match=r"unknown model 'en-fr-bahdanow'\. Did you mean 'en-fr-bahdanau'\? "
        r"Known: en-fr-bahdanau, en-fr-transformer\.",
    ):
        ask(zoo, "en-fr-bahdanow")


@pytest.mark.parametrize("name", ["", ".", "..", "../zoo", "en-fr-bahdanau/vocabulary"])
def test_a_name_is_no_path(zoo, name):
    with pytest.raises(ChoiceError, match="unknown model"):
        zoo.folder(name)


def test_without_the_default_the_first_is_taken(zoo):
    shutil.rmtree(zoo.path / "en-fr-transformer")
    assert zoo.default == "en-fr-bahdanau"


def test_an_empty_zoo_says_what_to_do(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        zoo = Zoo(path)
        assert zoo.names == ()
        assert zoo.default == "en-fr-transformer"
        with pytest.raises(ChoiceError, match=f"none lies in {path}; train one"):
            zoo.load(zoo.default)


def test_without_its_distribution_a_name_names_the_extra():
    zoo = Zoo(installed("no_such_distribution"))
    assert zoo.names == ()
    for ask in (zoo.folder, zoo.find, zoo.card, zoo.load):
        with pytest.raises(MissingExtraError, match=r"'en-fr-x'.*pip install 'regard\[zoo\]'"):
            ask("en-fr-x")
    with pytest.raises(ChoiceError, match="a model needs the folder of a run, got 'runs/x'"):
        zoo.find("runs/x")


def test_a_folder_is_found_where_it_lies_and_a_name_is_never_one(zoo, packed, monkeypatch):
    assert zoo.find(packed.folder) == packed.folder
    assert zoo.find() == zoo.path / "en-fr-transformer"
    monkeypatch.chdir(zoo.path.parent)
    (zoo.path.parent / "en-fr-bahdanau").mkdir(exist_ok=True)
    assert zoo.find("en-fr-bahdanau") == zoo.path / "en-fr-bahdanau"
    assert zoo.find("./en-fr-bahdanau").samefile(zoo.path.parent / "en-fr-bahdanau")


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
    config = ZOO.load("en-fr-transformer").model.config
    layer, last = config.chosen_alignment_layer, config.decoder_layers - 1
    said = " ".join(ZOO.card("en-fr-transformer").split())
    assert f"head {config.alignment_head} of its last layer but one" in said
    assert f"(layer {layer} of 0 to {last})" in said and layer == last - 1


def test_names_come_without_torch():
    code = (
        "import sys; from regard.zoo import ZOO; "
        "print(*ZOO.names, {'torch', 'regard_zoo'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *names, modules = done.stdout.split()
    assert {"en-fr-bahdanau", "en-fr-transformer"} <= {*names} and modules == "set()"
