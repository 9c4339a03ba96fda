"""Where each process computes."""

import pytest
import torch

from regard.errors import DeviceError
from regard.training.distributed.world import World, chosen_device

ALONE = World()
SIXTH = World(rank=5, count=8, local_rank=1, local_count=4)


@pytest.fixture
def gpus(monkeypatch):
    """Pretends that torch finds so many of them."""

    def pretend(count):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return pretend


@pytest.mark.parametrize(
    ("count", "name", "world", "expected"),
    [
        (0, None, ALONE, "cpu"),
        (4, None, ALONE, "cuda"),
        (4, "cpu", ALONE, "cpu"),
        (4, "cuda:2", ALONE, "cuda:2"),
        (0, None, SIXTH, "cpu"),
        (4, None, SIXTH, "cuda:1"),
        (4, "cuda", SIXTH, "cuda:1"),
        (4, "cpu", SIXTH, "cpu"),
    ],
)
def test_a_gpu_is_taken_if_there_is_one_and_by_each_process_its_own(
    gpus, count, name, world, expected
):
    gpus(count)
    assert chosen_device(name, world) == torch.device(expected)


@pytest.mark.parametrize(
    ("name", "world", "message"),
    [
        ("gpu", ALONE, "can compute on, got 'gpu'; it has cpu and 3 of cuda"),
        ("cuda:3", ALONE, "can compute on, got 'cuda:3'; it has cpu and 3 of cuda"),
        ("cuda", SIXTH, "4 processes on cuda need 4 GPUs.*finds 3; start fewer"),
        ("cuda:1", World(rank=0, count=2, local_count=2), "without a number, got 'cuda:1'"),
        ("mps", World(rank=0, count=2, local_count=2), "the device cpu or cuda.*got 'mps'"),
    ],
)
def test_a_device_that_is_not_there_is_refused(gpus, name, world, message):
    gpus(3)
    with pytest.raises(DeviceError, match=message):
        chosen_device(name, world)
