from types import SimpleNamespace

import pytest
from regard.zoo.comparison import compared, held_out

from regard.errors import InputError
from regard.tasks.translation import FileData, HeldOut
from regard.tasks.translation.predictor import load_translator
from training.small import files


def test_the_same_translator_changes_nothing_and_another_one_does(run, monkeypatch):
    translator, other = load_translator(run), load_translator(run)
    first = HeldOut("bo da ku la", ("vi ne ru ti",))
    pairs = [first, HeldOut("ku", ("ne", "na")), HeldOut("", ("",))]
    same = compared(translator, other, pairs)
    assert same[:2] == (3, 0)
    assert same.bleu_before == same.bleu_after

    def perfect(sources):
        return [SimpleNamespace(text=one.references[0]) for one in pairs]

    monkeypatch.setattr(other, "translate", perfect)
    changed = compared(translator, other, pairs)
    assert changed.changed == 2
    assert changed.bleu_after == pytest.approx(100)
    assert changed.bleu_before < 100


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
