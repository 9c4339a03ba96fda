"""``regard.load``: from a name or a folder to what answers, without a line of training."""

import pytest

import regard
from regard.errors import ChoiceError, StorageError
from regard.storage.run_folder import places
from regard.tasks.translation import Translator

SENTENCE = "The black cat ate the mouse."


def text(model):
    [found] = regard.load(model).translate(["bo da ku"])
    return found.text


def test_a_run_a_checkpoint_and_a_packed_model_are_loaded_alike(run, packed):
    best = places(run, "best")[-1].path
    assert isinstance(regard.load(run), Translator)
    assert text(run) == text(str(run)) == text(best)
    assert isinstance(regard.load(packed.folder), Translator)


@pytest.mark.parametrize("name", ["en-fr-transformer", "en-fr-bahdanau"])
def test_one_of_the_zoo_is_loaded_by_name(name):
    [found] = regard.load(name).predict([SENTENCE])
    assert found.text == "Le chat noir a mangé la souris."


def test_without_a_name_it_is_the_usual_one():
    usual = regard.load()
    assert repr(usual) == repr(regard.load("en-fr-transformer"))


def test_what_is_neither_a_folder_nor_a_name_is_one_sentence(tmp_path):
    with pytest.raises(ChoiceError, match=r"needs the folder of a run or one of .*en-fr-bahdanau"):
        regard.load(tmp_path / "nowhere")
    with pytest.raises(StorageError, match="has no checkpoint"):
        regard.load(tmp_path)


def test_nothing_of_training_is_imported(forks):
    code = (
        "import sys, regard\n"
        f"[found] = regard.load('en-fr-transformer').translate([{SENTENCE!r}])\n"
        "print(found.text)\n"
        "print(*[name for name in sys.modules if name.startswith('regard.training')])\n"
        "print(*{name.split('.')[0] for name in sys.modules} & {'rich', 'cyclopts', 'sacrebleu'})"
    )
    assert forks.run(code).output.split("\n") == ["Le chat noir a mangé la souris.", "", "", ""]
