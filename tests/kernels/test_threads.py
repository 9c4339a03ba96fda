"""Work over rows, on several threads."""

import multiprocessing
import threading
from itertools import chain

import pytest
import torch

from regard.kernels import threads
from regard.kernels.threads import over_rows


@pytest.mark.parametrize("number", [1, 2, 3, 7])
@pytest.mark.parametrize("rows", [1, 2, 5, 100])
def test_parts_cover_every_row_once_and_in_order(rows, number):
    torch.set_num_threads(number)
    parts = over_rows(lambda begin, end: list(range(begin, end)), rows, seconds=1.0)
    assert list(chain(*parts)) == list(range(rows))
    assert len(parts) == 1 if number == 1 else min(rows, number) <= len(parts) <= rows
    assert all(parts)


@pytest.fixture(params=["torch's threads", "threads of our own"], autouse=True)
def openmp_team(request, monkeypatch):
    if request.param == "threads of our own":
        monkeypatch.setattr(threads, "_torchs_team", lambda: None)


def test_no_rows_are_no_work():
    assert over_rows(lambda begin, end: pytest.fail("called"), 0, seconds=1.0) == []


def test_little_work_stays_in_the_calling_thread():
    torch.set_num_threads(4)
    here = over_rows(lambda begin, end: threading.get_ident(), 100, seconds=1e-6)
    assert here == [threading.get_ident()]


def test_parts_run_at_the_same_time():
    torch.set_num_threads(3)
    barrier = threading.Barrier(3)
    over_rows(lambda begin, end: barrier.wait(timeout=300), 3, seconds=1.0)


@pytest.mark.parametrize("bad", [0, 2])
def test_an_error_is_raised_when_the_other_parts_are_done(bad):
    torch.set_num_threads(3)
    done = []

    def work(begin, end):
        if begin == bad:
            raise ZeroDivisionError("in a part")
        done.append(begin)

    with pytest.raises(ZeroDivisionError, match="in a part"):
        over_rows(work, 3, seconds=1.0)
    assert sorted(done) == sorted({0, 1, 2} - {bad})


def _child(results):
    torch.set_num_threads(2)
    results.put(over_rows(lambda begin, end: end - begin, 10, seconds=1.0))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    torch.set_num_threads(2)
    over_rows(lambda begin, end: None, 10, seconds=1.0)
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=_child, args=(results,))
    child.start()
    assert sum(results.get(timeout=300)) == 10
    child.join()
