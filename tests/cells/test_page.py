"""What the page on cells shows runs as it stands."""

import re
from pathlib import Path

import pytest
import torch

import regard.cells

PAGE = (Path(__file__).parents[2] / "docs" / "cells.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_page_has_its_blocks():
    assert len(BLOCKS) == PAGE.count("```") // 2 == 8


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_python_of_the_page_runs_as_it_stands(block):
    torch.manual_seed(0)
    exec(compile(block, "cells.md", "exec"), {})


def test_every_cell_is_on_the_page():
    cells = [
        name
        for name, value in vars(regard.cells).items()
        if isinstance(value, type) and issubclass(value, regard.cells.Cell) and name != "Cell"
    ]
    assert len(cells) == 10
    assert [name for name in cells if f"`{name}`" not in PAGE] == []
