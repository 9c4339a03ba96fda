"""What was asked for, as cells."""

from pathlib import Path

import pytest

from benchmarks.mechanisms.contenders import MECHANISMS
from benchmarks.mechanisms.plan import chosen, planned, task_of
from benchmarks.mechanisms.sizes import count
from benchmarks.settings import Settings
from regard.errors import ChoiceError

OUT = Path("out")
NAMES = ["none", "bahdanau", "luong-general", "local-p", "gnmt-4", "transformer"]


@pytest.fixture(scope="module")
def cells():
    """All of them, with vocabularies from a few pairs."""
    settings = Settings("mechanisms", out=OUT, quick=True, minutes=0.7, threads=3)
    task = task_of(settings)
    data = task.data.model_copy(update={"vocabulary_pairs": 10})
    return planned(list(MECHANISMS.values()), task._replace(data=data), settings)


def test_all_are_of_one_size_and_have_the_same_time_text_and_tokens(cells):
    assert [cell.mechanism for cell in cells] == NAMES
    sizes = [count(cell.run.model) for cell in cells]
    assert max(sizes) / min(sizes) <= 1.03 / 0.97
    for cell in cells:
        assert cell.run.budget.minutes == 0.7 and cell.run.budget.steps is None
        assert cell.run.task.loss.guided == 0.0
        assert cell.run.optimisation.schedule.kind == "inverse_square_root"
        assert cell.threads == 3
        assert cell.run.model.dropout == 0.0
    first = cells[0].run
    for run in (cell.run for cell in cells):
        assert run.task.data == first.task.data
        assert (run.task.vocabulary, run.batch) == (first.task.vocabulary, first.batch)


def test_a_cell_survives_its_file(cells):
    for cell in cells:
        assert type(cell).model_validate_json(cell.model_dump_json()) == cell


def test_only_keeps_the_usual_order():
    found = chosen(Settings("mechanisms", out=OUT, only=("transformer", "none")))
    assert [one.name for one in found] == ["none", "transformer"]
    assert sorted(MECHANISMS) == sorted(NAMES)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"only": ("bahdanu",)}, "Did you mean 'bahdanau'"),
        ({"data": (Path("x"),)}, "needs both --data to train on and --test"),
        ({"test": (Path("x"),)}, "needs both --data to train on and --test"),
    ],
    ids=["name", "data", "test"],
)
def test_mistakes_are_one_sentence(wrong, message):
    with pytest.raises(ChoiceError, match=message):
        chosen(Settings("mechanisms", out=OUT, **wrong))


def test_files_are_measured_on_others_with_all_references(tmp_path):
    for name, text in (("train.tsv", "a\tb\n"), ("test.tsv", "one\tun\nsix\tsix\none\tune\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    settings = Settings(
        "mechanisms", out=OUT, data=(tmp_path / "train.tsv",), test=(tmp_path / "test.tsv",)
    )
    task = task_of(settings)
    assert task.data.train == (str(tmp_path / "train.tsv"),)
    found = [(one.source, one.references) for one in task.test.held_out()]
    assert found == [("one", ("un", "une")), ("six", ("six",))]


def test_the_grammar_is_measured_on_as_many_of_every_length():
    test = task_of(Settings("mechanisms", out=OUT, quick=True)).test
    words = [len(one.source_words) for one in test.held_out()]
    assert [sum(low < n <= low + 10 for n in words) for low in (0, 10, 20, 30)] == [5, 5, 5, 5]
    assert test.edges == (10, 20, 30)
