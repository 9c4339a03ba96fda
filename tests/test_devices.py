"""Where to compute: a device that can, or one sentence."""

import pytest
import torch

from regard.devices import resolve, use_threads
from regard.errors import DeviceError, RangeError


@pytest.fixture
def gpus(monkeypatch):
    """Pretends that torch finds so many of them."""

    def pretend(count):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return pretend


@pytest.mark.parametrize(
    ("count", "name", "found"),
    [(0, None, "cpu"), (0, "cpu", "cpu"), (2, None, "cuda"), (2, "cuda:1", "cuda:1")],
)
def test_the_gpu_is_taken_if_there_is_one_and_no_other_is_named(gpus, count, name, found):
    gpus(count)
    assert resolve(name) == torch.device(found)


@pytest.mark.parametrize("name", ["meta", "abacus", "", "cuda", "cuda:x", "hpu", "mtia"])
def test_what_cannot_compute_here_is_refused_by_its_name(gpus, name):
    gpus(0)
    with pytest.raises(DeviceError, match=f"can compute on, got '{name}'; it has cpu$"):
        resolve(name)


def test_a_gpu_too_many_is_refused_with_how_many_there_are(gpus):
    gpus(3)
    with pytest.raises(DeviceError, match="got 'cuda:3'; it has cpu and 3 of cuda"):
        resolve("cuda:3")


@pytest.mark.parametrize(
    ("count", "bound"),
    [(0, "1 or more"), (-1, "1 or more"), (4097, "4,096 or fewer"), (10**30, "4,096 or fewer")],
)
def test_there_is_at_least_one_thread_and_no_crowd(count, bound):
    before = torch.get_num_threads()
    with pytest.raises(RangeError, match=f"threads need to be {bound}, got {count};"):
        use_threads(count)
    use_threads(None)
    assert torch.get_num_threads() == before
