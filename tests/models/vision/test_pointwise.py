"""Convolutions of single positions: those of torch, and no byte beyond what is theirs."""

import os
import subprocess
import sys

import pytest
import torch
from torch import nn

from regard.models.vision.pointwise import Pointwise

CHECKED = "libc_malloc_debug.so.0"
CHILD = """
import torch
from regard.models.vision.pointwise import Pointwise
torch.set_num_threads(1)
convolution = Pointwise(6, 12, step=2, bias=False)
for _ in range(40):
    x = torch.rand(8, 6, 16, 24).to(memory_format=torch.channels_last).requires_grad_()
    y = convolution(x)
    y.backward(torch.rand_like(y))
    others = [torch.rand(size) for size in (3, 17, 100, 1000)]
"""


@pytest.mark.parametrize("step", [1, 2, 3])
def test_every_nth_position_is_what_a_stride_takes(step):
    ours = Pointwise(3, 5, step=step).double()
    theirs = nn.Conv2d(3, 5, 1, step).double()
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 3, 7, 11, dtype=torch.float64)
    torch.testing.assert_close(ours(x), theirs(x))


def test_its_backward_pass_keeps_to_its_memory():
    checks = os.environ | {"LD_PRELOAD": CHECKED, "MALLOC_CHECK_": "3"}
    done = subprocess.run(
        [sys.executable, "-c", CHILD], env=checks, capture_output=True, text=True, check=False
    )
    if CHECKED in done.stderr:
        pytest.skip("the C library has no checks")
    assert done.returncode == 0, done.stderr
