from pathlib import Path

import pytest

from regard.training.run import Observer, Observers
from training import small


class Recorder(Observer):
    """Writes down what it is told, and at which step."""

    def __init__(self, name="", book=None):
        self.name = name
        self.book = [] if book is None else book

    def note(self, run, what):
        self.book.append((self.name, run.progress.step, what))

    def started(self, run):
        self.note(run, "started")

    def updated(self, run, update):
        self.note(run, "updated")

    def validated(self, run, validation, *, best):
        self.note(run, f"validated {best}")

    def saved(self, run, path: Path):
        assert (path / "manifest.json").exists()
        self.note(run, f"saved {path.name}")

    def ended(self, run, ending):
        self.note(run, f"ended {ending}")

    def closed(self):
        self.book.append((self.name, None, "closed"))


def test_all_are_told_everything_in_order(tmp_path):
    book = []
    both = Observers([Recorder("a", book), Recorder("b", book)])
    data = small.corpus(tmp_path, count=20)
    small.start(
        tmp_path / "run",
        data,
        observer=both,
        budget=small.Budget(steps=3),
        save_every=1,
        validate_every=2,
    )
    told = [(step, what) for name, step, what in book if name == "a"]
    assert book == [(name, *one) for one in told for name in "ab"]
    expected = [
        (0, "started"),
        (1, "updated"),
        (1, "saved step-00000001"),
        (2, "updated"),
        (2, "validated True"),
        (2, "saved best-00000002"),
        (2, "saved step-00000002"),
        (3, "updated"),
        (3, "validated True"),
        (3, "saved best-00000003"),
        (3, "saved step-00000003"),
        (3, "ended steps"),
        (None, "closed"),
    ]
    assert told == expected


def test_a_run_that_fails_is_closed_too(tmp_path):
    class Failing(Recorder):
        def updated(self, run, update):
            raise ZeroDivisionError

    failing = Failing()
    with pytest.raises(ZeroDivisionError):
        small.start(tmp_path / "run", small.corpus(tmp_path, count=20), observer=failing)
    assert [what for *_, what in failing.book] == ["started", "closed"]
