"""The process of one cell, called as a function: it trains, and it measures."""

import torch

from benchmarks.mechanisms import work as working
from benchmarks.mechanisms.results import Result
from benchmarks.mechanisms.scoring import error_rate
from regard.data.vocabulary import learn_both, learner
from regard.measures import Argmax
from regard.models import Decoded, Seq2Seq, build, preset_config
from regard.storage.run_folder import RunFolder
from regard.tasks.translation import HeldOut
from regard.training.config import Budget


def read(folder):
    return Result.model_validate_json((folder / "result.json").read_text())


def test_a_cell_is_trained_and_measured(cell, tmp_path):
    assert working.work(tmp_path) == "steps"
    found = read(tmp_path)
    weights = build(cell.run.model).parameters()
    assert found.parameters == sum(weight.numel() for weight in weights)
    assert found.updates == 2 and found.tokens_per_second > 0 and found.peak_bytes > 10**7
    assert 0 <= found.aer <= 1 and 0 <= found.bleu <= 100
    assert [bucket.label for bucket in found.lengths] == ["0–10", "11–20", "21–30", "31+"]
    assert sum(bucket.sentences for bucket in found.lengths) == 4


def test_what_was_interrupted_has_no_result_and_goes_on_where_it_was(cell, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(working, "trained", lambda *_: "interrupted")
        assert working.work(tmp_path) == "interrupted"
    assert not (tmp_path / "result.json").exists()
    first = cell.model_copy(update={"run": cell.run.model_copy(update={"budget": Budget(steps=1)})})
    watch = working.Watch(tmp_path / "spent.json")
    working.trained(first, tmp_path / "run", watch)
    begun = []
    monkeypatch.setattr(working, "launch", lambda *_, **__: begun.append("anew"))
    again = working.Watch(tmp_path / "spent.json")
    assert (again.tokens, again.seconds) == (watch.tokens, watch.seconds)
    assert working.trained(cell, tmp_path / "run", again) == "steps"
    assert begun == [] and RunFolder(tmp_path / "run").steps[-1] == 1


class Looking(Seq2Seq):
    """A model that looks where it is told to."""

    def __init__(self, weights):
        super().__init__()
        self.weights = weights
        self.config = preset_config("bahdanau-small", source_vocab=20, target_vocab=20)
        self.output = torch.nn.Linear(2, 20)

    def decode_parallel(self, source, source_lengths, target, *, aligned):
        return Decoded(torch.zeros(1, 3, 2), self.weights)


def test_the_error_rate_is_that_of_where_the_model_looked():
    both = learn_both(
        learner("words", size=20), sources=["a b"], targets=["x y"], sharing="separate"
    )
    one = HeldOut("a b", ("x y",), frozenset({(0, 1), (1, 0)}))
    crossed = torch.tensor([[[0.1, 0.9, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]]])
    assert error_rate(Looking(crossed), both, [one], Argmax()) == 0.0
    straight = crossed[:, [1, 0, 2]]
    assert error_rate(Looking(straight), both, [one], Argmax()) == 1.0
    assert error_rate(Looking(None), both, [one], Argmax()) is None
    assert error_rate(Looking(crossed), both, [one._replace(alignment=None)], Argmax()) is None
