from types import SimpleNamespace

import pytest

from regard.errors import InputError
from regard.tasks.translation import FileData, HeldOut
from regard.tasks.translation.comparison import compared, held_out
from regard.tasks.translation.predictor import load_translator
from regard.training import Budget
from training.small import corpus, files, start


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    start(folder / "run", corpus(folder), budget=Budget(steps=2))
    return folder / "run"


def test_the_same_translator_changes_nothing_and_another_one_does(run, monkeypatch):
    translator, other = load_translator(run), load_translator(run)
    first = HeldOut("bo da ku la", ("vi ne ru ti",))
    pairs = [first, HeldOut("ku", ("ne", "na")), HeldOut("", ("",))]
    same = compared(translator, other, pairs)
    assert same[:2] == (3, 0)
    assert same.before == same.after

    def perfect(sources):
        return [SimpleNamespace(text=one.references[0]) for one in pairs]

    monkeypatch.setattr(other, "translate", perfect)
    changed = compared(translator, other, pairs)
    assert changed.changed == 2
    assert changed.after == pytest.approx(100)
    assert changed.before < 100


def test_the_first_sentences_are_taken(run):
    data = files(run.parent)
    assert held_out(data, 2) == data.held_out()[:2]


def test_pairs_that_are_gone_are_told_with_a_way_out(tmp_path):
    with pytest.raises(InputError, match=r"train\.tsv.* bring them back, or ask for 0 sentences"):
        held_out(FileData(train=(str(tmp_path / "train.tsv"),)), 2)


@pytest.mark.parametrize(
    "named",
    [
        {"train": ("-",)},
        {"train": ("a.tsv",), "valid": ("-",)},
        {"train": ("a.tsv",), "alignments": "-"},
        {"train": ("a.tsv",), "valid": ("b.tsv",), "valid_alignments": "-"},
    ],
)
def test_the_standard_input_is_not_waited_for(named):
    with pytest.raises(InputError, match=r"the standard input, which is over; .* ask for 0 sent"):
        held_out(FileData(**named), 3)
