"""What the page on positions shows runs as it stands."""

import re
from pathlib import Path
from typing import get_args

from regard import positions
from regard.positions.rotary_scaling import AnyRotaryScaling

PAGE = (Path(__file__).parents[2] / "docs" / "positions.md").read_text()


def test_the_python_of_the_page_runs_as_it_stands(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        exec(compile(block, "positions.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "without positions: the same vectors, in another order" in printed
    assert "with positions: other vectors" in printed
    assert "Learned needs positions from 0 to 511" in printed
    assert "a step with a cache is the last row of the whole" in printed


def test_the_page_names_every_position():
    classes = {name for name in positions.__all__ if name[0].isupper()}
    scalings = {one.__name__ for one in get_args(AnyRotaryScaling)}
    assert named_in(PAGE.split("## Which")[1].split("## With")[0]) == (
        classes - scalings - {"InputPosition", "RotaryScaling"}
    )
    assert named_in(PAGE.split("## Reaching farther")[1]) == scalings


def named_in(table):
    return {*re.findall(r"^\| `(\w+)\(", table, flags=re.MULTILINE)}
