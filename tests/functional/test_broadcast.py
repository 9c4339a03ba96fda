"""Shapes that broadcast, as torch has them."""

import subprocess
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.functional.tensors import broadcast_shapes

SHAPES = st.lists(
    st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(torch.Size), min_size=1, max_size=3
)


@given(SHAPES)
def test_shapes_broadcast_as_torch_has_it_or_not_at_all(shapes):
    try:
        expected = torch.broadcast_shapes(*shapes)
    except RuntimeError:
        with pytest.raises(RuntimeError):
            broadcast_shapes(*shapes)
    else:
        assert broadcast_shapes(*shapes) == expected


def test_no_symbolic_algebra_is_imported_for_it():
    code = "from regard.functional.tensors import broadcast_shapes as b; b((2, 1), (3,)); "
    code += "import sys; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
